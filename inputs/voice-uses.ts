import type { RowSpec } from '../contract/row-kinds.ts';

/** A voice of a manifest. */
export interface VoiceUse {
  readonly voice: string;
  /** Rows that speak with it. */
  readonly rows: number;
  /** Line of the first. */
  readonly line: number;
}

/** Voices that are told apart; a manifest with more of them has something else in that column. */
const MOST = 1_000;

/** Counts the voices of a manifest, in the order in which they come; the first thousand. */
export class VoiceUses {
  readonly #uses = new Map<string, VoiceUse>();

  add({ spec, line }: { readonly spec: RowSpec; readonly line: number }): void {
    if (!('voice' in spec)) return;
    const { voice } = spec;
    const known = this.#uses.get(voice);
    if (known === undefined && this.#uses.size >= MOST) return;
    this.#uses.set(voice, { voice, rows: (known?.rows ?? 0) + 1, line: known?.line ?? line });
  }

  list(): readonly VoiceUse[] {
    return [...this.#uses.values()];
  }
}
