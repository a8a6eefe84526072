'use strict';
const title = 'tide table';
export function surge(level) {
  if (level > 9) return title;
  return '';
}
