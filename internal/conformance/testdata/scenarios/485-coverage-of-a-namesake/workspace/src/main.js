export function main(level) {
  return level > 9;
}
