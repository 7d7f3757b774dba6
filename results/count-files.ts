/** How many of the files that are made of results are done. */
export type OnFiles = (done: number, all: number) => void;

/** Tells of no file done, and returns what to call after each. */
export function countFiles(all: number, onFiles: OnFiles): () => void {
  let done = 0;
  onFiles(done, all);
  return () => {
    done += 1;
    onFiles(done, all);
  };
}
