import { hasResult, needsAttention, wasAccepted, type Outcome, type RowState } from '../../contract/outcomes.ts';
import type { ReportBlock, ReportChoice } from '../../contract/report.ts';
import { familyOf } from '../../store/media-types.ts';
import type { ResultFields, ScannedRow } from '../result-line.ts';
import { publicText } from './public-text.ts';

/** Max rows that a browser shows without effort. Of a larger batch, a sample is listed, plus rows to look at. */
const MAX_LISTED = 200_000;
/** Size of that sample, in rows. */
const SAMPLE = 50_000;
/** Rows that are compressed together. */
const ROWS_A_BLOCK = 4_000;
/** Max characters of all texts together, so that a report of 100,000 rows is smaller than 10 MB. */
const ALL_TEXTS = 16_000_000;
/** Bounds of the max characters of one text. */
const [MIN_LIMIT_LENGTH, MAX_LIMIT_LENGTH] = [120, 5_000];
/** Max characters of a message. */
const MAX_MESSAGE_LENGTH = 300;

/** What a report lists of a batch. */
export interface Listing {
  readonly choice: ReportChoice;
  /** See `ReportOptions` (`report-file.ts`). */
  readonly hasTexts: boolean;
  /** Rows of the batch. */
  readonly rows: number;
}

/** Returns the sampling interval: every n-th row is listed; 1 if all are. */
export function sampledEach({ rows }: Pick<Listing, 'rows'>): number {
  return rows > MAX_LISTED ? Math.ceil(rows / SAMPLE) : 1;
}

/** Returns the max characters of a text; longer ones are cut. */
export function maxTextLength({ rows }: Pick<Listing, 'rows'>): number {
  return Math.min(MAX_LIMIT_LENGTH, Math.max(MIN_LIMIT_LENGTH, Math.floor(ALL_TEXTS / Math.min(rows, MAX_LISTED))));
}

/** Collects rows into blocks, which a report stores column by column. */
export class RowBlocks {
  readonly #listing: Listing;
  readonly #each: number;
  readonly #maxTextLength: number;
  #block = emptyBlock();
  /** Rows listed so far. */
  listed = 0;
  /** Of these, rows that need a person's attention; up to {@link MAX_LISTED} of them are listed, not sampled. */
  #attention = 0;

  constructor(listing: Listing) {
    this.#listing = listing;
    this.#each = sampledEach(listing);
    this.#maxTextLength = maxTextLength(listing);
  }

  /** Adds a row if it is to be listed. Returns a block once it is full. */
  add(scanned: ScannedRow, fields: ResultFields): ReportBlock | undefined {
    const { row } = scanned;
    const standing = row.outcome ?? row.state;
    if (this.#listing.choice === 'short' && hasResult(row.outcome)) return undefined;
    const isAlwaysListed = needsAttention(row.outcome) && this.#attention < MAX_LISTED;
    if (isAlwaysListed) this.#attention += 1;
    else if (row.row % this.#each !== 0) return undefined;
    this.listed += 1;
    this.#put(scanned, fields, standing);
    return this.#block.row.length < ROWS_A_BLOCK ? undefined : this.rest();
  }

  /** Returns the last block, which is not full; undefined if it is empty. */
  rest(): ReportBlock | undefined {
    const block = this.#block;
    this.#block = emptyBlock();
    return block.row.length === 0 ? undefined : block;
  }

  #put({ row, charges }: ScannedRow, fields: ResultFields, standing: Outcome | RowState): void {
    const { hasTexts } = this.#listing;
    const block = this.#block;
    const last = charges.findLast(({ state, finishedAt }) => wasAccepted(state) && finishedAt !== null);
    const isThere = row.file !== null && row.file.removedAt === undefined && fields._file !== '';
    block.row.push(row.row);
    block.id.push(row.id);
    block.kind.push(row.kind);
    block.standing.push(standing);
    block.take.push(row.take);
    block.takeInUse.push(row.returnedTo ?? row.take);
    block.requests.push(fields._attempts);
    block.voice.push(row.spec.voice ?? null);
    block.text.push(hasTexts ? this.#textOf(row) : '');
    block.seconds.push(fields._seconds);
    block.job.push(last?.finishedAt == null ? null : Math.round((last.finishedAt - last.intentAt) / 100) / 10);
    block.quoted.push(row.quoted);
    block.charged.push(fields._credits);
    block.class.push(fields._error_class);
    block.message.push(hasTexts ? publicText(fields._message).slice(0, MAX_MESSAGE_LENGTH) : '');
    // Without texts, no files either: their names may be made from texts, and their content is the text.
    block.file.push(hasTexts && isThere ? fields._file : '');
    block.media.push(hasTexts && isThere ? familyOf(row.file.extension) : null);
    block.ended.push(row.endedAt);
  }

  #textOf({ spec, text }: ScannedRow['row']): string {
    if (spec.text === undefined && text === null) return publicText(spec.audio ?? spec.video ?? '');
    const shown = spec.text ?? text ?? '';
    return shown.length > this.#maxTextLength ? `${shown.slice(0, this.#maxTextLength)}…` : shown;
  }
}

function emptyBlock(): ReportBlock {
  return {
    row: [],
    id: [],
    kind: [],
    standing: [],
    take: [],
    takeInUse: [],
    requests: [],
    voice: [],
    text: [],
    seconds: [],
    job: [],
    quoted: [],
    charged: [],
    class: [],
    message: [],
    file: [],
    media: [],
    ended: [],
  };
}
