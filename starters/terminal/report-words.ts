import type { ReportWords } from '../../client/report/wanted-report.ts';
import { noteLines, stateWord } from './status-words.ts';

/** Texts of `voxbatch status` that the HTML report shows as well; every command that writes a report passes them. */
export const REPORT_WORDS: ReportWords = {
  standing: stateWord,
  status: (status) => noteLines(status, Date.now()),
};
