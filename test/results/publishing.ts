import { jest } from '@jest/globals';
import { AtomicFile } from '../../results/atomic-file.ts';

type Step = (path: string) => Promise<void> | void;

/** Does this before and after each file takes its place, until the function that it returns is called. */
export function onPublishing({ before, after }: { readonly before?: Step; readonly after?: Step }): () => void {
  const { value: publish } = Object.getOwnPropertyDescriptor(AtomicFile.prototype, 'publish') as {
    value: (this: AtomicFile) => Promise<void>;
  };
  const spy = jest.spyOn(AtomicFile.prototype, 'publish').mockImplementation(async function (this: AtomicFile) {
    await before?.(this.path);
    await publish.call(this);
    await after?.(this.path);
  });
  return () => {
    spy.mockRestore();
  };
}

/** Dies, as far as others see, at the file of this name. */
export const dieAt =
  (name: string): Step =>
  (path) => {
    if (path.endsWith(name)) throw new Error('killed');
  };
