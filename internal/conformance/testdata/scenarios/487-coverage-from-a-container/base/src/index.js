export function index(level) {
  return level > 8;
}
