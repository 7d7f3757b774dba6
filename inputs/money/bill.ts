import type { NamedRows } from '../../contract/spend.ts';
import { dialectOf, KINDS, ofEach, resultOf, stepsIn } from '../../contract/row-kinds.ts';
import type { Kind, RowSpec } from '../../contract/row-kinds.ts';
import { spokenSeconds } from '../../policy/money/pricing.ts';
import type { RowPart } from '../../contract/row-parts.ts';
import { roundCredits } from '../../contract/price-units.ts';
import type { Priced } from './price-rows.ts';

/** Max rows that a message names; the others are only counted. */
const MAX_NAMED_ROWS = 5;

/** Sums over the rows of one kind. */
export interface KindSummary {
  readonly rows: number;
  /** Paid requests: one for each step without an existing result. */
  readonly requests: number;
  /** Rows that need no request: their results exist, or they may not be paid for. */
  readonly free: number;
  /** Sum of the known quotes, in credits. */
  readonly quoted: number;
  /** Rows whose price cannot be known. */
  readonly unpriced: number;
  /** Rows priced at an assumed length (`--assume-seconds`). */
  readonly assumed: number;
  /** Rows that speak the legacy dialect of the API. */
  readonly legacy: number;
}

/** Sums over the rows of one speaker of the cast. */
export interface SpeakerSum extends Pick<KindSummary, 'rows' | 'free' | 'quoted' | 'unpriced'> {
  readonly name: string;
  /** Code points of their texts. */
  readonly characters: number;
}

/** The estimated cost of a manifest's valid rows. Amounts are in credits. */
export interface BillSummary {
  readonly kinds: Readonly<Record<Kind, KindSummary>>;
  /** Sum over all kinds. */
  readonly quoted: number;
  readonly unpriced: number;
  /** Rows that cost nothing. */
  readonly free: number;
  /** Sums for each speaker of the cast, in order of their first rows. */
  readonly speakers: readonly SpeakerSum[];
  /** The rows without a price, and why. */
  readonly unpricedRows: NamedRows;
  /** Rows whose media could not be probed, and why. */
  readonly notProbed: NamedRows;
  /** The lowest price of a row to be paid for; null if no price is known. */
  readonly cheapest: number | null;
  /**
   * The rows to be paid for that the budget covers, taken in file order and skipping those that do not fit; null
   * without a budget.
   */
  readonly affordable: { readonly rows: number; readonly quoted: number } | null;
  /** Estimated disk space for the results; see {@link estimateBytes}. */
  readonly disk: {
    readonly bytes: number;
    /** Rows not included because their size is unknown. */
    readonly unknown: number;
  };
}

/** A priced row. */
export type BilledRow = Priced & {
  readonly line: number;
  readonly id: string;
  /** Its parts, each a request of its own. Absent if it is not split. */
  readonly parts?: readonly RowPart[];
  /** Requests that `quoted` is for. Default: all; with none, it costs nothing. */
  readonly requests?: number;
  /** The name of the cast that gives it its voice. Absent if none does. */
  readonly speaker?: string;
  /** True if it is a further part of the last added row, not a row itself. Default false. */
  readonly ofLastRow?: boolean;
};

/** The small part of a row that a bill needs, kept for each row while a sample is drawn. */
export interface BillEntry extends Pick<BilledRow, 'line' | 'id' | 'quoted' | 'isAssumed'> {
  readonly kind: Kind;
  readonly isLegacy: boolean;
  readonly requests: number;
  readonly ofLastRow: boolean;
  readonly speaker: { readonly name: string; readonly characters: number } | undefined;
  readonly notProbed: string | undefined;
  /** Disk space for its result; null if unknown. */
  readonly bytes: number | null;
}

/** Extracts what a bill needs of a row. */
export function billEntry(row: BilledRow): BillEntry {
  const { spec, line, id, quoted, isAssumed, notProbed, requests, parts, speaker, ofLastRow = false } = row;
  return {
    line,
    id,
    quoted,
    isAssumed,
    notProbed,
    ofLastRow,
    kind: spec.kind,
    isLegacy: dialectOf(spec) === 'legacy',
    speaker: speaker === undefined ? undefined : { name: speaker, characters: Array.from(spec.text ?? '').length },
    bytes: estimateBytes(spec),
    requests: requests ?? stepsIn(spec).length * (parts?.length ?? 1),
  };
}

const NO_ROWS = { rows: 0, requests: 0, free: 0, quoted: 0, unpriced: 0, assumed: 0, legacy: 0 };

/** Adds up rows as they are read. Keeps only sums. */
export class Bill {
  readonly #budget: number | null;
  readonly #kinds = ofEach(KINDS, () => ({ ...NO_ROWS }));
  readonly #speakers = new Map<string, { -readonly [M in keyof SpeakerSum]: SpeakerSum[M] }>();
  readonly #unpriced = new RowNames();
  readonly #notProbed = new RowNames();
  #cheapest: number | null = null;
  #affordable = { rows: 0, quoted: 0 };
  #disk = { bytes: 0, unknown: 0 };

  /** @param budget in credits; null for none */
  constructor(budget: number | null) {
    this.#budget = budget;
  }

  /** Adds a row, or a further part of the last one. */
  add(row: BilledRow): void {
    this.addEntry(billEntry(row));
  }

  /** Adds a row like {@link add}, by what {@link billEntry} returned for it. */
  addEntry(row: BillEntry): void {
    const sum = (this.#kinds[row.kind] ??= { ...NO_ROWS });
    if (!row.ofLastRow) sum.rows++;
    if (row.isLegacy && !row.ofLastRow) sum.legacy++;
    if (row.speaker !== undefined) this.#addSpeaker(row, row.speaker);
    sum.requests += row.requests;
    if (row.requests === 0) {
      sum.free++;
      return;
    }
    if (row.isAssumed) sum.assumed++;
    if (row.notProbed !== undefined) this.#notProbed.add(row, row.notProbed);
    if (row.bytes === null) this.#disk.unknown++;
    else this.#disk.bytes += row.bytes;
    if (row.quoted === null) {
      sum.unpriced++;
      this.#unpriced.add(row, row.notProbed ?? 'unknown length');
      return;
    }
    sum.quoted = roundCredits(sum.quoted + row.quoted);
    if (this.#cheapest === null || row.quoted < this.#cheapest) this.#cheapest = row.quoted;
    const after = roundCredits(this.#affordable.quoted + row.quoted);
    if (this.#budget !== null && after <= this.#budget) {
      this.#affordable = { rows: this.#affordable.rows + (row.ofLastRow ? 0 : 1), quoted: after };
    }
  }

  #addSpeaker(
    { ofLastRow, quoted, requests }: BillEntry,
    { name, characters }: { name: string; characters: number },
  ): void {
    let sum = this.#speakers.get(name);
    if (sum === undefined)
      this.#speakers.set(name, (sum = { name, rows: 0, free: 0, characters: 0, quoted: 0, unpriced: 0 }));
    if (!ofLastRow) sum.rows++;
    sum.characters += characters;
    if (requests === 0) sum.free++;
    else if (quoted === null) sum.unpriced++;
    else sum.quoted = roundCredits(sum.quoted + quoted);
  }

  /** Returns the sums of the rows so far. */
  summary(): BillSummary {
    const all = Object.values(this.#kinds);
    return {
      kinds: this.#kinds,
      quoted: roundCredits(all.reduce((sum, kind) => sum + kind.quoted, 0)),
      unpriced: this.#unpriced.count,
      free: all.reduce((sum, kind) => sum + kind.free, 0),
      speakers: [...this.#speakers.values()],
      unpricedRows: this.#unpriced,
      notProbed: this.#notProbed,
      cheapest: this.#cheapest,
      affordable: this.#budget === null ? null : this.#affordable,
      disk: { bytes: Math.round(this.#disk.bytes), unknown: this.#disk.unknown },
    };
  }
}

/** Counts rows, and names the first of them. */
class RowNames implements NamedRows {
  count = 0;
  readonly first: NamedRows['first'][number][] = [];

  add({ line, id }: BillEntry, why: string): void {
    this.count++;
    if (this.first.length < MAX_NAMED_ROWS) this.first.push({ line, id, why });
  }
}

/**
 * Estimates the bytes of a row's results in the store; null if unknown (media of unknown length). The estimate decides
 * whether a batch fits on the disk, so it is rather too large. The API promises none of its assumptions:
 *
 * - Speech: as long as {@link spokenSeconds} says.
 * - mp3 and other compressed formats: 128 kbit/s. wav and pcm: 16-bit mono at 44.1 kHz.
 * - Video: 8 Mbit/s, the usual upload advice for 1080p at 30 pictures a second.
 * - A transcript: 20 bytes a second of speech for the text, and three times that again for `.srt` and `.vtt`.
 */
export function estimateBytes(spec: RowSpec): number | null {
  const { duration } = spec;
  switch (resultOf(spec.kind)) {
    case 'audio':
      return spokenSeconds(spec) * bytesPerSecond(spec.format ?? 'mp3');
    case 'transcript':
      return duration === undefined ? null : duration * TRANSCRIPT;
    case 'video':
      return duration === undefined ? null : duration * VIDEO;
    case 'voice':
      return 0;
  }
}

/** Bytes per second of each kind of result; see {@link estimateBytes}. */
const COMPRESSED = 128_000 / 8;
const UNCOMPRESSED = 44_100 * 2;
const VIDEO = 8_000_000 / 8;
const TRANSCRIPT = 20 * 4;

function bytesPerSecond(format: string): number {
  return /^(?:wav|pcm)/i.test(format) ? UNCOMPRESSED : COMPRESSED;
}
