import { shellWord } from '../../contract/shell-word.ts';

/** Returns the message that Temporal has lost these schedules, and what to do. */
export function lostWords(schedules: readonly [string, ...string[]]): string {
  const names = schedules.map((name) => `"${name}"`).join(', ');
  return `Temporal does not know ${names} any more, as after a loss of its database: nothing fires. ${remakeWords(schedules[0])}`;
}

/** Returns what to do about a schedule that Temporal has lost. */
export function remakeWords(schedule: string): string {
  const name = shellWord(schedule);
  return `Make it again, as it is on record: voxbatch schedule resume ${name}. Or forget it: voxbatch schedule delete ${name}.`;
}
