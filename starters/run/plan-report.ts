import { chosenOf, resultsOf } from '../../client/status/counts-view.ts';
import { decideRunStart } from '../../client/run/run-start.ts';
import type { PlanView } from '../../client/run/plan-view.ts';
import { PRICE_UNITS, roundCredits, type Price } from '../../contract/price-units.ts';
import type { Operation } from '../../contract/row-kinds.ts';
import { subsetFlags } from '../../contract/subset.ts';
import type { UnconfirmedConfig } from '../../client/trust/folder-config.ts';
import { inCredits } from '../terminal/money.ts';
import { lostLines, reasonLines } from '../terminal/reason-words.ts';
import { dialectWords, chosenInWords, rowsInWords, clock, form, number, plural, size } from '../terminal/words.ts';
import { namedRowLines, noteText, questionText, refusalText } from '../terminal/spend-words.ts';
import { oneLine, tableLines } from '../terminal/table.ts';
import { hostOf, memberLines, visible, visiblePath } from '../trust/member-words.ts';

type BillLine = PlanView['bill']['total'];
type Known = Extract<PlanView['planned'], { readonly type: 'known' }>;
type Taken = Extract<PlanView['planned'], { readonly type: 'taken' }>;

/**
 * Returns the report of `voxbatch plan` as lines. `unconfirmed`: settings of the folder's config that were not used.
 */
export function planLines(view: PlanView, unconfirmed?: UnconfirmedConfig): readonly string[] {
  const { plan, manifest, summary, bill, settings, decision, facts, planned } = view;
  const { total } = bill;
  const lines = [
    `Batch "${plan.name}" from ${manifest}${choiceInWords(view)}`,
    ...recordLines(view),
    ...(summary.chosen === 0 ? [] : billTable(view)),
    ...castTable(view),
    ...dialectLines(total, settings),
    ...(planned.type === 'known'
      ? lostLines(planned.left.reasons, settings.cache)
      : reasonLines(planned.reasons, settings.cache, total.isEstimate)),
  ];
  lines.push(...awaitedLines(view.awaited));
  if (total.unpriced > 0) {
    lines.push(
      'To price these rows, add a duration column (seconds), --probe or --assume-seconds. Without a budget they run anyway:',
      ...namedRowLines(summary.unpricedRows),
    );
  }
  const { retakes } = settings;
  if (retakes > 0)
    lines.push(
      `Not included: up to ${plural(retakes, 'retake')} per row after failed jobs and unfit results, each at full price.`,
    );
  const { rate } = settings.limits;
  if (rate !== null)
    lines.push(`At ${number(rate)} paid requests per second: at least ${clock((total.requests / rate) * 1_000)}`);
  lines.push(...hookLines(settings), ...unconfirmedLines(unconfirmed));
  lines.push(balanceLine(view), diskLine(view), ...decision.notes.map((note) => noteText(note, facts)));
  const start = decideRunStart(view);
  if (start.type === 'ask') lines.push(`run asks for confirmation: ${questionText(facts)} (--yes confirms)`);
  if (start.type === 'refuse' && start.why === 'spend')
    lines.push('run refuses this (exit code 3):', refusalText(start.spend, facts));
  return lines;
}

/** What the ledger has about the batch of this name. */
function recordLines({ planned, counts, bill }: PlanView): readonly string[] {
  if (planned.type === 'new') return [];
  const done = counts === undefined ? '' : `: ${number(resultsOf(counts))} of ${rowsInWords(chosenOf(counts))} done`;
  if (planned.type === 'taken') {
    const isSame = SAME_MANIFEST.has(planned.name.differs);
    return [
      `${isSame ? 'A batch of this manifest, made with other flags or another cast,' : 'Another batch'} has this name${done}. run refuses it.`,
      'These are the figures of a new batch under another name:',
    ];
  }
  const { batch, left } = planned;
  const under = left.underWay === 0 ? '' : `, ${number(left.underWay)} more paid for and under way`;
  const { free } = bill.total;
  const saved = free === 0 ? '' : `, ${number(free)} of them free by earlier results`;
  const pay = left.rows === 0 ? 'Nothing is left to pay for.' : `Left to pay for: ${rowsInWords(left.rows)}${saved}.`;
  const isPartial = counts !== undefined && counts.notChosen > 0;
  return [
    `It is on record${done}${under}. ${pay}`,
    ...(batch.state === 'closed' ? [isPartial ? 'The rows chosen before have ended.' : 'It is finished.'] : []),
    ...overBudgetLines(left),
  ];
}

/** Rows over the budget, which this run would leave out again. */
function overBudgetLines({ overBudget: { rows, quoted } }: Known['left']): readonly string[] {
  if (rows === 0) return [];
  const cost = quoted === null ? 'at an unknown price' : inCredits(quoted);
  return [`Over the budget, and left out again: ${rowsInWords(rows)}, ${cost}.`];
}

/** In what a batch of the same manifest may differ, so that its name is taken. */
const SAME_MANIFEST: ReadonlySet<Taken['name']['differs']> = new Set(['dialect', 'reading', 'file-names'] as const);

/** A table of rows and costs by kind, and the prices that these are made from. */
function billTable({ bill: { kinds, total }, prices }: PlanView): readonly string[] {
  return [
    ...tableLines<BillLine>(
      [
        { title: 'kind', value: ({ kind }) => kind },
        { title: 'rows', value: ({ rows }) => number(rows), align: 'right' },
        { title: 'paid requests', value: ({ requests }) => number(requests), align: 'right' },
        { title: 'credits', value: creditsOf, align: 'right' },
        { title: 'rows without a price', value: ({ unpriced }) => number(unpriced), align: 'right' },
      ],
      kinds.length > 1 ? [...kinds, total] : kinds,
    ),
    `Prices: ${[...prices].map(([operation, price]) => priceInWords(operation, price)).join('; ')}`,
    ...(total.isEstimate
      ? ['~ estimate: from public prices or an assumed length; set your own prices in voxbatch.config.json']
      : []),
  ];
}

/** A table of what each speaker of the cast would cost; no lines without a cast. */
function castTable({ summary: { speakers }, settings, bill: { total } }: PlanView): readonly string[] {
  const { cast } = settings.reading;
  if (cast === undefined || speakers.length === 0) return [];
  const voices = new Map(cast.members.map(({ name, values }) => [name, values['voice'] ?? '']));
  return [
    `Cast (${oneLine(cast.from)}):`,
    ...tableLines<(typeof speakers)[number]>(
      [
        { title: 'speaker', value: ({ name }) => oneLine(name) },
        { title: 'voice', value: ({ name }) => oneLine(voices.get(name) ?? '') },
        { title: 'lines', value: ({ rows }) => number(rows), align: 'right' },
        { title: 'characters', value: ({ characters }) => number(characters), align: 'right' },
        { title: 'credits', value: (sum) => creditsOf({ ...sum, isEstimate: total.isEstimate }), align: 'right' },
      ],
      speakers,
    ),
  ];
}

/** How many rows use the legacy paths of the API; no line if none does. */
function dialectLines({ rows, legacy }: BillLine, settings: PlanView['settings']): readonly string[] {
  const words = dialectWords(settings);
  return words === '' ? [] : [`By the legacy paths of the API: ${number(legacy)} of ${rowsInWords(rows)}${words}`];
}

/** Returns `: 20 of 1,000 rows (--limit 20)`; empty if all rows are chosen. */
function choiceInWords({ plan, chosen, rows }: PlanView): string {
  return plan.subset === null ? '' : `: ${chosenInWords(chosen, rows)} (${subsetFlags(plan.subset).join(' ')})`;
}

/** Returns a price such as `speech-job 0.5 credits per character, a CJK character counts as 2 (estimate)`. */
function priceInWords(operation: Operation, { unit, credits, cjkFactor, estimate }: Price): string {
  const cjk = cjkFactor === undefined || cjkFactor === 1 ? '' : `, a CJK character counts as ${String(cjkFactor)}`;
  return `${operation} ${String(credits)} ${form(credits, 'credit', 'credits')} ${PRICE_UNITS[unit].words}${cjk}${estimate ? ' (estimate)' : ''}`;
}

/** Returns the cost of rows: a number, `~` before an estimate, and " + unknown" if some rows have no price. */
function creditsOf({
  quoted,
  isEstimate,
  rows,
  unpriced,
}: Pick<BillLine, 'quoted' | 'isEstimate' | 'rows' | 'unpriced'>): string {
  if (rows > 0 && rows === unpriced) return 'unknown';
  return `${isEstimate ? '~' : ''}${number(quoted)}${unpriced > 0 ? ' + unknown' : ''}`;
}

function balanceLine({ balance, summary }: PlanView): string {
  if ('why' in balance) return `Balance: unknown (${balance.why})`;
  const left = roundCredits(balance.credits - summary.quoted);
  const then = summary.unpriced > 0 ? 'minus rows without a price' : 'after this batch';
  return `Balance: ${number(balance.credits)} API credits; ${number(left)} ${then}`;
}

function diskLine({ summary, disk }: PlanView): string {
  const { bytes, unknown } = summary.disk;
  const free = disk.free === null ? 'free space unknown' : `${size(disk.free)} free`;
  const unsized = unknown > 0 ? `${plural(unknown, 'row')} of unknown length` : '';
  const without = unsized === '' ? '' : `, not counting ${unsized}`;
  const results =
    bytes === 0 && unsized !== ''
      ? `results of unknown size (${unsized})`
      : `about ${size(bytes)} of results (rough estimate${without})`;
  const tooMuch = disk.free !== null && bytes > disk.free ? ' WARNING: more than the free space.' : '';
  return `Disk: ${results}; ${free} at ${disk.store}.${tooMuch}`;
}

/** Voices that are listed. */
const MAX_VOICES = 5;

/**
 * Returns how many voices rows of this manifest make, how many rows wait for them, and the first few; else no lines.
 */
export function awaitedLines(awaited: PlanView['awaited']): readonly string[] {
  if (awaited.length === 0) return [];
  const waiting = awaited.reduce((sum, { rows }) => sum + rows, 0);
  const count = awaited.length;
  const more = count - MAX_VOICES;
  return [
    `Voices: ${number(count)} ${form(count, 'is', 'are')} made by rows of this manifest; ${rowsInWords(waiting)} ${form(waiting, 'waits', 'wait')} for ${form(count, 'it', 'them')}`,
    ...awaited
      .slice(0, MAX_VOICES)
      .map(
        ({ voice, row, line, rows, firstLine }) =>
          `  row ${String(row)} (line ${String(line)}) makes "${oneLine(voice.replace(/^name:/, ''))}": ${rowsInWords(rows)}, the first in line ${String(firstLine)}`,
      ),
    ...(more > 0 ? [`  and ${number(more)} more`] : []),
  ];
}

/** The hooks: a command that runs, and a host that gets a message. The URL's path may be secret, so it is not shown. */
function hookLines({ onEnd = null, notify = null }: Partial<PlanView['settings']>): readonly string[] {
  return [
    ...(onEnd === null ? [] : [`At its end, or if it pauses by itself, this command runs: ${visible(onEnd)}`]),
    ...(notify === null ? [] : [`At its end, or if it pauses by itself, ${hostOf(notify)} gets a message`]),
  ];
}

/** Settings of the folder's config that the user has not confirmed, so they were not used. */
function unconfirmedLines(unconfirmed: UnconfirmedConfig | undefined): readonly string[] {
  if (unconfirmed === undefined) return [];
  // Operations are used even so: that sends nothing, and their rows could not be checked and priced otherwise.
  const used = 'operations' in unconfirmed.members ? 'Only its operations are used here' : 'Not used here';
  return [
    `${used}, because you have not confirmed it (${visiblePath(unconfirmed.path)}):`,
    ...memberLines(unconfirmed.members).map((line) => `  ${line}`),
    'run refuses it until you have (exit code 2). If it is right, run: voxbatch trust',
  ];
}
