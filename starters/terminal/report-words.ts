import type { ReportWords } from '../../client/report/wanted-report.ts';
import { noteLines, standingOf } from './status-words.ts';

/** What a report says of a batch in the words of `voxbatch status`. */
export const REPORT_WORDS: ReportWords = {
  standing: standingOf,
  status: (status) => noteLines(status, Date.now()),
};
