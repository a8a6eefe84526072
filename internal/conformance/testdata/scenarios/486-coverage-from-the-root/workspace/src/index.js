export function index(level) {
  return level > 9;
}
