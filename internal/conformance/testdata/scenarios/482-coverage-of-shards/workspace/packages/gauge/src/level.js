export function level(level) {
  return level > 9;
}
