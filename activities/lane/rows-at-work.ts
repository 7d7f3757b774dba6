/** The rows of a slice that are worked on. */
export class RowsAtWork {
  readonly all = new Set<Promise<void>>();
  /** Those whose work was over before the slice was; the others go on in another one. */
  done = 0;

  add(work: Promise<void>, slice: AbortSignal): void {
    const watched = work.finally(() => {
      this.all.delete(watched);
      if (!slice.aborted) this.done += 1;
    });
    this.all.add(watched);
  }
}
