import { UnsafeName } from './errors.ts';

/** Throws {@link UnsafeName} for a stem or key that leads out of the store, or that no file can have. */
export function requireSafe(name: string): void {
  const isSafe =
    !/[\0\\]/.test(name) && name.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!isSafe) throw new UnsafeName(name);
}

/** The same for a stem, and the extension that it is to get. */
export function requireSafeStem(stem: string, extension?: string): void {
  requireSafe(stem);
  if (extension === undefined) return;
  if (!/^[a-z0-9]+$/.test(extension) || extension === 'part') throw new UnsafeName(`.${extension}`);
}
