/** Regroups items into chunks of this size. */
export async function* inChunks<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[], undefined> {
  let chunk: T[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length === size) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}
