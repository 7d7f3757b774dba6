import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Which schema of `schemas/views/` fits what a command prints with `--json`, by the beginning of the command. */
const VIEWS: readonly (readonly [command: RegExp, view: string])[] = [
  [/^doctor .*--(api|strict-schema)\b/, 'doctor-api'],
  [/^(status|watch)\b/, 'status'],
  [/^(say|transcribe|lip-sync|voices create)\b/, 'job'],
  [/^redrive .*--dry-run\b/, 'redrive'],
  [/^results .*--media-links\b/, 'media-links'],
  [/^(run|redrive)\b/, 'run'],
  [/^(pause|resume|stop)\b/, 'control'],
  [/^compare [^-]/, 'compare'],
  [/^compare\b/, 'compare-dialects'],
  [/^voices list\b/, 'voice-list'],
  [/^voices show\b/, 'voice'],
  [/^voices delete\b/, 'voice-deleted'],
  [/^profile set/, 'profile-set'],
  [/^schedule (create|update|show)\b/, 'schedule'],
  [/^schedule trigger .*--wait\b/, 'schedule-trigger'],
  [/^schedule (pause|resume|delete|backfill|trigger)\b/, 'schedule-control'],
];

const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);

function viewOf(args: readonly string[]): string {
  const found = VIEWS.find(([command]) => command.test(args.join(' ')));
  return found?.[1] ?? args.slice(0, /^(schedule|cache|ledger)$/.test(args[0] ?? '') ? 2 : 1).join('-');
}

/** Throws if a command printed JSON that its published schema does not describe to the letter. */
export function requirePublished(args: readonly string[], stdout: string): void {
  const isJson = args.includes('--json') || args.join(' ').includes('--progress json');
  if (!isJson || stdout.trim() === '') return;
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type?: string });
  if (!lines.some(({ type }) => type === 'ended')) {
    requireAs(args, JSON.parse(stdout) as object);
    return;
  }
  for (const line of lines) {
    requireView('event', args, line);
    if (line.type === 'result') requireAs(args, (line as { readonly result: object }).result);
  }
}

function requireAs(args: readonly string[], value: object): void {
  // A command that put another take on record names what goes on with it, too.
  const isError = 'exit' in value && 'next' in value && 'message' in value;
  requireView(isError ? 'error' : viewOf(args), args, value);
}

function requireView(view: string, args: readonly string[], value: object): void {
  const path = fileURLToPath(new URL(`../../schemas/views/${view}.schema.json`, import.meta.url));
  const validate =
    ajv.getSchema(path) ?? ajv.addSchema(JSON.parse(readFileSync(path, 'utf8')) as object, path).getSchema(path);
  if (validate?.(value) !== true)
    throw new Error(`voxbatch ${args.join(' ')}: not as schemas/views/ says: ${ajv.errorsText(validate?.errors)}`);
}
