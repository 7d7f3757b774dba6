/** Asks once for all who ask at the same time, and gives no answer older than it takes to ask. */
export function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };
}
