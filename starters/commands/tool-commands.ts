import { SIMULATOR_FLAGS } from '../../simulator/flags.ts';
import { EXAMPLES } from '../tools/examples.ts';
import type { CommandSpec } from './command-spec.ts';

/** Commands that need no batch, by their paths, at the end of the help. */
export const TOOL_COMMANDS: Readonly<Record<string, CommandSpec>> = {
  init: {
    does: 'Write an example manifest; never overwrites a file',
    operands: [['[example]', 'Kind of its rows, or a task (default: tts)', EXAMPLES]],
    own: { out: ['-o, --out <file>', 'Name of the file (default: <example>.csv)'] },
    examples: ['voxbatch init tts --out lines.csv'],
    load: async () => (await import('../tools/init.ts')).init,
  },
  simulate: {
    does: 'Run a simulator of the API, for rehearsal; its token is VOXBATCH_API_TOKEN',
    own: Object.fromEntries(
      SIMULATOR_FLAGS.map((flag) => [
        flag.name,
        [`--${flag.name} <${flag.value.toLowerCase()}>`, `${flag.description} (default: ${flag.default})`],
      ]),
    ),
    examples: ['voxbatch simulate --port 8080 --job-ms 1000-3000'],
    load: async () => (await import('../serve/simulate.ts')).simulate,
  },
  'codec-server': {
    does: "Decrypt payloads for Temporal's UI and command line, by the keys in VOXBATCH_PAYLOAD_KEYS",
    own: {
      port: ['--port <port>', 'Where it listens; 0 takes a free one (default: 8081)'],
      host: [
        '--host <address>',
        'Address it listens on; others than this machine need VOXBATCH_CODEC_TOKEN (default: 127.0.0.1)',
      ],
      origin: ['--origin <url>', "Origin of Temporal's UI, whose pages may ask it (default: none)"],
    },
    notes:
      'Whoever reaches it can read what Temporal keeps. Where VOXBATCH_CODEC_TOKEN is set, requests need "Authorization: Bearer" and\n' +
      'this token (temporal --codec-auth). It runs until Ctrl-C.',
    examples: ['voxbatch codec-server --port 8081 --origin https://temporal.example'],
    load: async () => (await import('../encryption/codec-server.ts')).codecServer,
  },
  completion: {
    does: 'Print a shell completion script',
    operands: [['<shell>', 'The shell', ['bash', 'zsh', 'fish']]],
    examples: ['eval "$(voxbatch completion bash)"'],
    load: async () => (await import('../terminal/completion.ts')).completion,
  },
  trust: {
    does: "Confirm a folder's ledger, and what its config says about commands, addresses and money; shows both",
    operands: [['[folder]', 'Folder with voxbatch.config.json or .voxbatch/ (default: .)']],
    flags: 'remove',
    examples: ['voxbatch trust'],
    load: async () => (await import('../trust/trust.ts')).trust,
  },
};
