import type { RowSpec } from '../../contract/row-kinds.ts';

/**
 * How long a text probably takes to speak, in seconds: 15 characters a second (150 English words a minute), CJK 4.5 a
 * second, divided by `speed`.
 */
export function spokenSeconds({ text = '', speed = 1 }: Pick<RowSpec, 'text' | 'speed'>): number {
  const cjk = text.match(/[\u2E80-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]/g)?.length ?? 0;
  return ((text.length - cjk) / 15 + cjk / 4.5) / speed;
}
