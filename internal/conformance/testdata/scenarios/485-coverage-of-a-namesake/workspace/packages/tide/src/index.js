export function tide(level) {
  return level > 9;
}
