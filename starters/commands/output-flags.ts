import { REPORT_CHOICES } from '../../contract/report.ts';
import { PROGRESS_FORMS } from '../terminal/output.ts';
import type { Flag } from './flag-values.ts';

/** What a command says while it works, and what it writes beside the results. */
export const OUTPUT = {
  report: [
    '--report <which>',
    'Report to write with the results: none, short (without rows that have their result) or full (default: full)',
    REPORT_CHOICES,
  ],
  log: ['--log <format>', 'Form of the lines on stderr (default: text)', ['text', 'json']],
  progress: [
    '--progress <form>',
    'bar, plain lines, json (events on stdout, one a line; the last has the exit code) or none (default: bar on a terminal that takes it, else plain)',
    PROGRESS_FORMS,
  ],
  quiet: ['-q, --quiet', 'Show no progress; warnings, errors and the summary are still printed'],
  verbose: ['-v, --verbose', 'Also print the log of the worker in this process: each step, never texts'],
} as const satisfies Readonly<Record<string, Flag>>;
