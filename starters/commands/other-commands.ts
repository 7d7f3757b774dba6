import {
  ROW_OPERANDS,
  SCHEDULE_OPERAND,
  VOICE_OPERAND,
  LOCAL_MEDIA_FLAGS,
  WEBHOOK_FLAGS,
  READING_FLAGS,
  SPENDING_FLAGS,
  SINGLE_FLAGS,
  FIRING_FLAGS,
  SINGLE_DIALECT,
  RANGE_FROM,
  type CommandSpec,
} from './command-spec.ts';
import { LEDGER_COMMANDS } from './ledger-commands.ts';
import { TOOL_COMMANDS } from './tool-commands.ts';

/** Commands other than those of `batch-commands.ts`, by their paths, in the order of the help. */
export const OTHER_COMMANDS: Readonly<Record<string, CommandSpec>> = {
  cache: {
    does: 'Look at the results that later rows can reuse, and remove old ones',
    examples: ['voxbatch cache list'],
  },
  'cache list': {
    does: 'Show how much is kept: by batch, kind, voice and age',
    flags: 'json',
    examples: ['voxbatch cache list'],
    load: async () => (await import('../cache/cache.ts')).listCache,
  },
  'cache show': {
    does: 'Show what the results of a row are known by, where they are kept, and who has them',
    operands: ROW_OPERANDS,
    flags: 'batch json',
    examples: ['voxbatch cache show 7 lines'],
    load: async () => (await import('../cache/cache.ts')).showCached,
  },
  'cache prune': {
    does: 'Remove results that were not used for long; bills and out folders stay',
    flags: 'olderThan keepBytes dryRun reason yes json',
    examples: ['voxbatch cache prune --older-than 30d --dry-run'],
    load: async () => (await import('../cache/cache.ts')).prune,
  },
  clean: {
    does: 'Remove the media of a finished batch, the records of its rows, or both; its bill stays',
    operands: [['<batch>', 'Name of the batch']],
    flags: 'media dryRun reason yes json',
    own: {
      rows: ['--rows', 'Remove what its rows asked for, and their texts; it can then not be run again'],
      all: ['--all', 'Both'],
    },
    notes:
      'Rows whose requests may have been charged, or whose jobs may still run, stay as they are. Results that other batches\n' +
      'reused stay theirs. The name stays taken, because the bill is kept under it.',
    examples: ['voxbatch clean lines --media --dry-run', 'voxbatch clean lines --all --yes'],
    load: async () => (await import('../clean/clean.ts')).clean,
  },
  ...LEDGER_COMMANDS,
  schedule: {
    does: 'Run a manifest again and again, each time as a batch of its own',
    examples: ['voxbatch schedule create nightly lines.csv --cron "0 2 * * *" --budget 500'],
  },
  'schedule create': {
    does: 'Make a schedule; spends nothing before it fires',
    operands: [
      ['<name>', `${SCHEDULE_OPERAND[1]}; its batches are called NAME.2026-12-01T02-00-00Z`],
      [
        '<manifest>',
        'CSV, TSV, Excel (.xlsx) or JSONL, read each time it fires: a file, a pattern of files, or an https:// URL',
      ],
    ],
    flags: `${FIRING_FLAGS} ${READING_FLAGS} ${SPENDING_FLAGS} reason check`,
    examples: ['voxbatch schedule create nightly lines.csv --every 1d --budget 500'],
    load: async () => (await import('../schedules/make.ts')).create,
  },
  'schedule update': {
    does: 'Change when a schedule fires, or what it runs',
    operands: [SCHEDULE_OPERAND],
    flags: `${FIRING_FLAGS} ${READING_FLAGS} ${SPENDING_FLAGS} reason check manifest`,
    examples: ['voxbatch schedule update nightly --cron "0 3 * * *"'],
    load: async () => (await import('../schedules/make.ts')).update,
  },
  'schedule list': {
    does: 'List schedules, and say if no worker is there for them',
    flags: 'json',
    examples: ['voxbatch schedule list'],
    load: async () => (await import('../schedules/look.ts')).list,
  },
  'schedule show': {
    does: 'Show a schedule: what became of its last firings, and when it fires next',
    operands: [SCHEDULE_OPERAND],
    flags: 'json',
    examples: ['voxbatch schedule show nightly'],
    load: async () => (await import('../schedules/look.ts')).show,
  },
  'schedule check': {
    does: 'Say what became of each firing; exit code 10 if one failed or did not take place',
    operands: [['[name]', `${SCHEDULE_OPERAND[1]} (default: all)`]],
    flags: 'since pausedOk json',
    examples: ['voxbatch schedule check --since 26h'],
    load: async () => (await import('../schedules/look.ts')).check,
  },
  'schedule preview': {
    does: 'Show when a schedule fires, and what that would cost now',
    operands: [SCHEDULE_OPERAND],
    flags: 'to json',
    own: RANGE_FROM,
    examples: ['voxbatch schedule preview nightly'],
    load: async () => (await import('../schedules/look.ts')).preview,
  },
  'schedule trigger': {
    does: 'Fire a schedule now, even if it is paused',
    operands: [SCHEDULE_OPERAND],
    flags: 'overlap reason json',
    own: { wait: ['--wait', 'Wait until its batch has ended, and exit as that batch did'] },
    examples: ['voxbatch schedule trigger nightly'],
    load: async () => (await import('../schedules/control.ts')).trigger,
  },
  'schedule backfill': {
    does: 'Fire a schedule for times that have passed',
    operands: [SCHEDULE_OPERAND],
    flags: 'to overlap reason json',
    own: RANGE_FROM,
    examples: ['voxbatch schedule backfill nightly --from 2026-12-01T00:00Z --to 2026-12-07T00:00Z'],
    load: async () => (await import('../schedules/control.ts')).backfill,
  },
  'schedule pause': {
    does: 'Stop a schedule from firing; a running batch continues',
    operands: [SCHEDULE_OPERAND],
    flags: 'note json',
    examples: ['voxbatch schedule pause nightly --note "new voices"'],
    load: async () => (await import('../schedules/control.ts')).pause,
  },
  'schedule resume': {
    does: 'Let a schedule fire again that is paused, or that Temporal has lost',
    operands: [SCHEDULE_OPERAND],
    flags: 'note json',
    examples: ['voxbatch schedule resume nightly'],
    load: async () => (await import('../schedules/control.ts')).resume,
  },
  'schedule delete': {
    does: 'Delete a schedule; its batches and their files stay',
    operands: [SCHEDULE_OPERAND],
    flags: 'reason json',
    examples: ['voxbatch schedule delete nightly'],
    load: async () => (await import('../schedules/control.ts')).remove,
  },
  worker: {
    does: 'Work on batches of this API and account until SIGTERM',
    flags: `${LOCAL_MEDIA_FLAGS} ${WEBHOOK_FLAGS} log verbose apiUrl only aliveFile metricsPort lookEvery grace deployment buildId`,
    examples: [
      'TEMPORAL_ADDRESS=temporal:7233 voxbatch worker',
      'voxbatch worker --only download',
      'TEMPORAL_ADDRESS=temporal:7233 voxbatch worker --deployment voxbatch --build-id 42',
    ],
    load: async () => (await import('../serve/serve.ts')).worker,
  },
  up: {
    does: 'Run the embedded server and a worker until SIGTERM, as a service or in a terminal',
    flags: `${LOCAL_MEDIA_FLAGS} ${WEBHOOK_FLAGS} log verbose apiUrl untilIdle metricsPort page lookEvery grace printUnit wait unlessRunning out`,
    own: { batch: ['--batch <name>', 'Write the files of this batch when it is finished'] },
    examples: ['voxbatch up &', 'voxbatch up --wait 2m', 'voxbatch up --print-unit systemd'],
    load: async ({ printUnit }) =>
      printUnit === undefined ? (await import('../serve/serve.ts')).up : (await import('../serve/units.ts')).printUnit,
  },
  doctor: {
    does: 'Check server, ledger, API, token, account, clock and disk',
    flags: 'strictSchema apiUrl json',
    own: {
      api: ['--api', "Compare the API's own schema with what voxbatch needs, and with the last look, instead"],
    },
    examples: ['voxbatch doctor', 'voxbatch doctor --api'],
    load: async ({ api, strictSchema }) =>
      (api ?? strictSchema) === undefined
        ? (await import('../doctor/doctor.ts')).doctor
        : (await import('../doctor/schema.ts')).doctorSchema,
  },
  voices: { does: "List and manage the account's voices", examples: ['voxbatch voices list'] },
  'voices list': {
    does: 'List the voices that the account can use; free',
    flags: 'search provider apiUrl json',
    own: SINGLE_DIALECT,
    examples: ['voxbatch voices list --search anna --provider fishaudio'],
    load: async () => (await import('../voices/look.ts')).listVoices,
  },
  'voices show': {
    does: 'Show what the API says of a voice, and which open batches need it; free',
    operands: [VOICE_OPERAND],
    flags: 'apiUrl json',
    own: SINGLE_DIALECT,
    examples: ['voxbatch voices show name:Ada'],
    load: async () => (await import('../voices/look.ts')).showVoice,
  },
  'voices create': {
    does: 'Make a voice from recordings; prints its id; paid',
    operands: [['[name]', 'What it is called; a lost answer is looked for by this name']],
    flags: `${SINGLE_FLAGS} audio transcript description visibility language`,
    own: { ...SINGLE_DIALECT, name: ['-n, --name <name>', 'The same as a flag'] },
    examples: ['voxbatch voices create Ada --sample ada-1.wav --sample ada-2.wav'],
    load: async () => (await import('../voices/create.ts')).createVoice,
  },
  'voices delete': {
    does: 'Delete a voice of the account for good, unless an open batch needs it; free',
    operands: [VOICE_OPERAND],
    flags: 'apiUrl json yes',
    own: SINGLE_DIALECT,
    examples: ['voxbatch voices delete name:Ada'],
    load: async () => (await import('../voices/delete.ts')).deleteVoice,
  },
  profile: {
    does: 'Show the account of the token and its balance; free',
    flags: 'apiUrl json',
    examples: ['voxbatch profile'],
    load: async () => (await import('../account/profile.ts')).profile,
  },
  'profile set': {
    does: 'Change fields of the profile, and say what the API made of them; free',
    operands: [
      ['<field=value...>', 'A value that is JSON is sent as such (true, 5, null, "a text"), any other one as a text'],
    ],
    flags: 'apiUrl json',
    examples: ['voxbatch profile set newsletter=false displayName=Anna'],
    load: async () => (await import('../account/profile.ts')).setProfile,
  },
  'profile set-webhook': {
    does: "Set the address of the account's webhooks; free",
    operands: [['[url]', 'The address']],
    flags: 'apiUrl json clear',
    examples: ['voxbatch profile set-webhook https://example.org/hooks/long-secret'],
    load: async () => (await import('../account/profile.ts')).setWebhook,
  },
  ...TOOL_COMMANDS,
};
