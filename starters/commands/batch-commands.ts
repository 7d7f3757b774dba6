import {
  BATCH_OPERAND,
  ROW_OPERANDS,
  READ_ONLY_NOTE,
  RANGE_FROM,
  REPEATABLE_NOTE,
  TUNING_FLAGS,
  LOCAL_MEDIA_FLAGS,
  WEBHOOK_FLAGS,
  MANIFEST_FLAGS,
  SINGLE_FLAGS,
  SPEECH_FLAGS,
  singleFileFlags,
  SPEECH_FILE_FLAGS,
  TEXT_OPERAND,
  type CommandSpec,
} from './command-spec.ts';
import { ACTION_KINDS } from '../../contract/actions.ts';
import { positive, share } from './flag-values.ts';
import { PAGE_PORT, toleranceHelp } from './command-flags.ts';

/** Commands on batches and single jobs, by their paths, in the order of the help. */
export const BATCH_COMMANDS: Readonly<Record<string, CommandSpec>> = {
  run: {
    does: 'Start or resume a batch; writes ./out/<batch>/',
    operands: [['<manifest>', 'CSV, TSV, Excel (.xlsx) or JSONL file with a header; - reads stdin']],
    flags: `${MANIFEST_FLAGS} ${WEBHOOK_FLAGS} reason resubmit confirmAfterSample detach metricsPort progress quiet log verbose`,
    examples: [
      'voxbatch run lines.csv --sample 5 --confirm-after-sample',
      'voxbatch run lines.csv --voice anna --budget 500 --halt soon,fail=5%',
    ],
    load: async () => (await import('../run/begin-run.ts')).beginRun,
  },
  plan: {
    does: 'Validate a manifest and estimate its cost; spends nothing',
    operands: [['<manifest>', 'CSV, TSV, Excel (.xlsx) or JSONL file with a header; - reads stdin']],
    flags: MANIFEST_FLAGS,
    examples: ['voxbatch plan lines.csv --voice anna'],
    load: async () => (await import('../run/plan.ts')).plan,
  },
  redrive: {
    does: 'Run ended rows of a batch again, as a new take at a new price',
    operands: [['[batch]', 'Name of the batch (default: the one in the file, else the newest)']],
    flags: `${LOCAL_MEDIA_FLAGS} ${WEBHOOK_FLAGS} where rows damaged newStore from sheet step resubmit accept reason confirm yes out apiUrl dryRun detach json progress quiet log verbose`,
    notes:
      'A redrive keeps finished steps, and fetches jobs that were paid for, free. It skips rows that have a result, unless you select\n' +
      'them: by --rows, --step, --where outcome=succeeded, or by editing their cells in the file.',
    examples: [
      'voxbatch redrive lines --where outcome=failed,cancelled --where kind=tts',
      'voxbatch redrive lines --from out/lines/failed.csv',
      'voxbatch redrive lines --rows a1,a7 --step lip-sync',
      'voxbatch redrive lines --accept a1',
      'voxbatch redrive lines --accept a1/1',
      'voxbatch redrive lines --damaged',
    ],
    load: async () => (await import('../redrive/redrive.ts')).redrive,
  },
  reconcile: {
    does: 'Settle requests whose answers were lost, and list jobs that belong to no row; free',
    operands: [BATCH_OPERAND],
    flags: `${LOCAL_MEDIA_FLAGS} ${WEBHOOK_FLAGS} adopt release notCharged reason yes out apiUrl detach json progress`,
    own: {
      resubmit: [
        '--resubmit <rows...>',
        'Send these unknown rows again and pay again, unless their requests are found; without a terminal, needs --yes',
      ],
    },
    notes:
      "Without options, this looks up every unknown row: late answers, stored results, the API's lists of lip-sync jobs and voices.\n" +
      "Only --resubmit spends. Exits with the batch's exit code: 13 while a row is unknown.",
    examples: [
      'voxbatch reconcile lines',
      'voxbatch reconcile lines --adopt r7=job-1f3a --resubmit r8 r9',
      'voxbatch reconcile lines --release r7',
    ],
    load: async () => (await import('../reconcile/reconcile.ts')).reconcile,
  },
  say: {
    does: 'Speak one text; writes the audio file, and continues where the same command was cut off',
    operands: [TEXT_OPERAND],
    flags: `${SPEECH_FLAGS} voice`,
    own: SPEECH_FILE_FLAGS,
    examples: ['voxbatch say "Good morning." --voice anna -o - | player'],
    load: async () => (await import('../single/single-commands.ts')).say,
  },
  transcribe: {
    does: 'Transcribe one recording; prints the text',
    operands: [['<audio>', 'URL of the recording, which the API fetches']],
    flags: `${SINGLE_FLAGS} force language`,
    own: singleFileFlags('File that ends in .txt, .srt or .vtt, instead of stdout'),
    examples: ['voxbatch transcribe https://media.example/talk.mp3 -o talk.srt'],
    load: async () => (await import('../single/single-commands.ts')).transcribe,
  },
  'lip-sync': {
    does: 'Make the mouth of one video move to an audio track; writes the video file',
    operands: [
      ['<video>', 'URL of the video, which the API fetches'],
      ['<audio>', 'URL of the audio track, which the API fetches'],
    ],
    flags: `${SINGLE_FLAGS} force`,
    own: singleFileFlags('File, folder, or - for stdout (default: lip-sync-<digest>.mp4 here)'),
    examples: ['voxbatch lip-sync https://media.example/face.mp4 https://media.example/line.mp3 -o out.mp4'],
    load: async () => (await import('../single/single-commands.ts')).lipSync,
  },
  list: {
    does: 'List batches, newest first; single jobs are only counted',
    flags: 'all single json',
    notes: READ_ONLY_NOTE,
    examples: ['voxbatch list'],
    load: async () => (await import('../status/status.ts')).list,
  },
  status: {
    does: "Show a batch's status; exits with the batch's exit code",
    operands: [BATCH_OPERAND],
    flags: 'json',
    notes: READ_ONLY_NOTE,
    examples: ['voxbatch status lines'],
    load: async () => (await import('../status/status.ts')).status,
  },
  watch: {
    does: 'Follow a batch until it is finished, paused, or has no worker',
    operands: [BATCH_OPERAND],
    flags: 'page progress',
    own: { json: ['--json', 'The same as --progress json'] },
    notes: READ_ONLY_NOTE,
    examples: ['voxbatch watch lines'],
    load: async () => (await import('../status/watch.ts')).watch,
  },
  page: {
    does: 'Show batches in a browser: live figures, rows, players; until Ctrl-C',
    operands: [['[batch]', 'Name of the batch that it shows first (default: the list of all)']],
    own: { port: PAGE_PORT },
    notes:
      'Prints an address that lets one browser of this machine in, once. Others reach nothing there. To look, it needs no\n' +
      'worker, no token and no Temporal server. Rows that are sent again from it show their price before.',
    examples: ['voxbatch page', 'voxbatch page lines'],
    load: async () => (await import('../page/page.ts')).page,
  },
  explain: {
    does: 'Show everything about one row: input, requests, charges, failure, files',
    operands: ROW_OPERANDS,
    flags: 'batch json',
    notes: READ_ONLY_NOTE,
    examples: ['voxbatch explain 7 --batch lines'],
    load: async () => (await import('../rows/explain.ts')).explain,
  },
  history: {
    does: 'Show what was done to a batch, when, by whom and why; the newest last',
    operands: [BATCH_OPERAND],
    flags: 'to json',
    own: {
      ...RANGE_FROM,
      kinds: ['--kind <list>', `Only these, separated by commas: ${ACTION_KINDS.join(', ')}`],
      schedule: ['--schedule <name>', 'Of a schedule, in place of a batch'],
    },
    notes: READ_ONLY_NOTE,
    examples: ['voxbatch history lines', 'voxbatch history lines --kind tune,redrive --from 2026-12-01T00:00:00Z'],
    load: async () => (await import('../history/history.ts')).history,
  },
  results: {
    does: 'Write the result files of a batch as it is now',
    operands: [BATCH_OPERAND],
    flags: 'mediaLinks out xlsx report join pause loudness trimSilence sampleRate soundFormat json',
    notes: READ_ONLY_NOTE,
    examples: [
      'voxbatch results lines --out delivered',
      'voxbatch results book --join chapter --loudness -16',
      'voxbatch results lines --xlsx',
      'voxbatch results lines --media-links 7d',
    ],
    load: async () => (await import('../results/results.ts')).results,
  },
  report: {
    does: 'Write the report of a batch as it is now: one HTML file, for any browser',
    operands: [BATCH_OPERAND],
    flags: 'json',
    own: {
      out: [
        '-o, --out <file>',
        'File to write (default: report.html in out/<batch>; report-no-text.html without texts)',
      ],
      text: ['--no-text', 'Without texts, transcripts, messages and players, so that it can be shared'],
    },
    notes: READ_ONLY_NOTE,
    examples: ['voxbatch report lines', 'voxbatch report lines --no-text --out lines.html'],
    load: async () => (await import('../report/report.ts')).report,
  },
  verify: {
    does: 'Check the result files of a batch: hashes, counts, sums, media',
    operands: [['[dir-or-batch]', 'Folder that holds summary.json, or name of a batch (default: the newest batch)']],
    flags: 'json',
    notes: READ_ONLY_NOTE,
    examples: ['voxbatch verify out/lines'],
    load: async () => (await import('../results/verify.ts')).verify,
  },
  compare: {
    does: 'Compare two batches of one manifest row by row, or the account in both dialects of the API; free',
    operands: [
      ['[batch]', 'The first batch'],
      ['[other]', 'The second batch'],
    ],
    flags: 'length words credits latency jobs apiUrl json',
    own: {
      rows: ['--rows <share>', `How many of the rows may differ; ${toleranceHelp('rows')}`, share],
      out: ['-o, --out <file>', 'Also write the rows that differ to this CSV file'],
      pollRate: [
        '--poll-rate <rate>',
        'Without batches: max requests per second, in both dialects together (default: limits.pollRate)',
        positive,
      ],
    },
    notes: `Two batches of one manifest, from the ledger and the stored files: it sends nothing and needs no worker. Without
batches: the account (profile, voices, lip-sync jobs), read in both dialects of the API, v1 and legacy; each request is
logged on stderr. Either way it spends nothing and changes nothing.

Exit code 0: parity within the tolerances; 10: they differ, or a dialect could not be read; 75: no difference so far, but
rows have not ended; 5: the account could not be read at all.`,
    examples: ['voxbatch compare lines lines-legacy --length 10% --out differ.csv'],
    load: async () => (await import('../compare/compare.ts')).compare,
  },
  pause: {
    does: 'Send no more paid requests; running jobs are still fetched',
    operands: [BATCH_OPERAND],
    flags: 'reason json',
    notes: REPEATABLE_NOTE,
    examples: ['voxbatch pause lines'],
    load: async () => (await import('../control/control.ts')).pause,
  },
  resume: {
    does: 'Continue a paused batch',
    operands: [BATCH_OPERAND],
    flags: 'reason json',
    own: {
      out: [
        '-o, --out <folder>',
        'Folder of its results, asked for paid requests that a restored ledger lacks (default: out/<batch>)',
      ],
    },
    notes: REPEATABLE_NOTE,
    examples: ['voxbatch resume lines'],
    load: async () => (await import('../control/control.ts')).resume,
  },
  stop: {
    does: 'Send no more paid requests, fetch running jobs, cancel the rest; cannot be undone',
    operands: [BATCH_OPERAND],
    flags: 'reason json now',
    notes: `A stopped batch does not continue: what is to continue later, pause. Its cancelled rows can be sent once it has ended, as
new work: voxbatch redrive BATCH --where outcome=cancelled\n${REPEATABLE_NOTE}`,
    examples: ['voxbatch stop lines'],
    load: async () => (await import('../control/control.ts')).stop,
  },
  tune: {
    does: 'Change limits, budget and policies of a running batch; without flags, show current values',
    operands: [BATCH_OPERAND],
    flags: `${TUNING_FLAGS} reason json`,
    notes: `Settings that you do not name stay as they are. Defaults are those of a new batch.\n${REPEATABLE_NOTE}`,
    examples: ['voxbatch tune lines --rate 10 --budget 500'],
    load: async () => (await import('../control/tune.ts')).tune,
  },
};
