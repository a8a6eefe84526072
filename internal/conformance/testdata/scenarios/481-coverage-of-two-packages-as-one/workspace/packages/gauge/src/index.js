export function gauge(level) {
  return level > 9;
}
