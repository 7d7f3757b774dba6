import { openLine, type Line } from './line.ts';

/** Just before a commit reaches the server, or just after the server has committed, before its answer comes back. */
export type CutMoment = 'before' | 'after';

/** A line to a PostgreSQL server. `next` is asked at each commit whether, and when, its connection is to be cut. */
export function openCommitLine(url: string, next: () => CutMoment | undefined): Promise<Line> {
  return openLine(url, () => {
    let isDoomed = false;
    return {
      asked: (bytes) => {
        const moment = bytes.includes('commit\0') ? next() : undefined;
        isDoomed ||= moment === 'after';
        return moment === 'before';
      },
      answered: (bytes) => isDoomed && bytes.includes('COMMIT\0'),
    };
  });
}
