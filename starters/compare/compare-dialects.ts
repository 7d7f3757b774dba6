import { printAnswer, type RunContext } from '../terminal/output.ts';
import {
  compareDialects,
  type DialectComparison,
  type MadeRead,
  type Surface,
  type SurfaceComparison,
} from '../../client/compare/compare-dialects.ts';
import type { Flags } from '../commands/flags.ts';
import { viewExit, type ExitName } from '../../contract/exit-codes.ts';
import { confirmedAccess } from '../connect/connect-api.ts';
import { readSettings } from '../connect/settings.ts';
import { DIALECTS } from '../../contract/dialects.ts';
import { oneLine, tableLines } from '../terminal/table.ts';
import { number, plural } from '../terminal/words.ts';

/** Flags of `compare`. */
export type CompareFlags = Omit<Flags, 'rows' | 'pollRate'> & { readonly rows?: number; readonly pollRate?: number };

const EXITS: Readonly<Record<DialectComparison['verdict'], ExitName>> = {
  parity: 'complete',
  differs: 'failures',
  unread: 'api-away',
};

/**
 * `voxbatch compare`: the account in both dialects side by side. Only reads; spends nothing. Each request is logged on
 * stderr.
 */
export async function compareAccount(flags: CompareFlags, { output }: RunContext): Promise<ExitName> {
  const settings = await readSettings();
  const found = await compareDialects(await confirmedAccess(settings, flags), {
    jobs: flags.jobs,
    pollRate: flags.pollRate ?? settings.config.limits?.pollRate ?? null,
    onRead: (read) => {
      output.say(readLine(read));
    },
  });
  const exit = EXITS[found.verdict];
  printAnswer(output, flags, { ...viewExit(exit), ...found }, () => dialectLines(found));
  return exit;
}

type Compared = Extract<SurfaceComparison, { readonly is: 'compared' }>;

const NAMES: Readonly<Record<Surface, string>> = {
  profile: 'profile',
  voices: 'voices',
  list: 'list of lip-sync jobs',
  jobs: 'lip-sync jobs by id',
};

/** Differences of a surface that are named; `--json` has all. */
const NAMED = 20;

/** A free request, as a line of the log. */
function readLine({ dialect, method, path, status, ms, requestId, at }: MadeRead): string {
  const answer = status === null ? 'no answer' : String(status);
  const id = requestId === null ? '' : `  ${requestId}`;
  return `${at.toISOString()}  ${dialect.padEnd(6)}  ${method} ${path}  ${answer}  ${ms} ms${id}`;
}

/** A comparison of dialects for people. */
function dialectLines({ api, verdict, surfaces }: DialectComparison): readonly string[] {
  return [
    `${DIALECTS.join(' beside ')} at ${new URL(api).origin}`,
    '',
    ...tableLines(
      [
        { title: '', value: ({ surface }: SurfaceComparison) => NAMES[surface] },
        ...DIALECTS.map((dialect, side) => ({
          title: dialect,
          value: (found: SurfaceComparison) => countOf(found, side),
          align: 'right' as const,
        })),
        { title: '', value: standingOf },
      ],
      surfaces,
    ),
    ...surfaces.flatMap((found) => (found.is === 'unread' ? unreadLines(found) : differenceLines(found))),
    ...loneFieldLines(surfaces),
    '',
    VERDICTS[verdict],
  ];
}

const VERDICTS: Readonly<Record<DialectComparison['verdict'], string>> = {
  parity: 'Both say the same. Nothing was changed. Nothing was spent.',
  differs: 'They differ. Nothing was changed. Nothing was spent.',
  unread: 'Neither could be read. Nothing was changed. Nothing was spent. Check address and token: voxbatch doctor',
};

function countOf(found: SurfaceComparison, side: number): string {
  if (found.is === 'unread') return found.why[side] === null ? 'read' : 'unread';
  return number(found.items[side] ?? 0);
}

function standingOf(found: SurfaceComparison): string {
  if (found.is === 'unread') return 'cannot be compared';
  const parts = DIALECTS.flatMap((dialect, side) => {
    const only = found.only[side]?.length ?? 0;
    return only === 0 ? [] : [`${number(only)} only in ${dialect}`];
  });
  const fields = found.differences.length;
  if (fields > 0) parts.unshift(plural(fields, 'field differs', 'fields differ'));
  return parts.length === 0 ? 'alike' : parts.join(', ');
}

function unreadLines({ surface, why }: Extract<SurfaceComparison, { readonly is: 'unread' }>): readonly string[] {
  return DIALECTS.flatMap((dialect, side) => {
    const reason = why[side] ?? null;
    return reason === null ? [] : [`${NAMES[surface]}, ${dialect}: ${oneLine(reason)}`];
  });
}

function differenceLines({ surface, only, differences }: Compared): readonly string[] {
  const lines = [
    ...differences.map(
      ({ id, field, values }) => `${id}: ${field} ${told(values[0], DIALECTS[0])}, ${told(values[1], DIALECTS[1])}`,
    ),
    ...DIALECTS.flatMap((dialect, side) => (only[side] ?? []).map((id) => `${id}: only in ${dialect}`)),
  ];
  const more = lines.length > NAMED ? [`  and ${number(lines.length - NAMED)} more: --json`] : [];
  const named = lines.slice(0, NAMED).map((line) => `  ${oneLine(line)}`);
  return lines.length === 0 ? [] : ['', `${NAMES[surface]}:`, ...named, ...more];
}

function told(value: string | number | boolean | null, dialect: string): string {
  return value === null ? `not told by ${dialect}` : `${JSON.stringify(value)} in ${dialect}`;
}

/** What only one dialect tells, each once. */
function loneFieldLines(surfaces: readonly SurfaceComparison[]): readonly string[] {
  const lines = DIALECTS.flatMap((dialect, side) => {
    const fields = surfaces.flatMap((found) =>
      found.is === 'unread' ? [] : (found.fieldsOnly[side] ?? []).map((field) => `${field} (${NAMES[found.surface]})`),
    );
    return fields.length === 0 ? [] : [`Only ${dialect} tells: ${fields.join(', ')}`];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}
