'use strict';

export function surge(level) {
  return level > 9;
}
