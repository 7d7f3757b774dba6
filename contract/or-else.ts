/** What the action returns; if it throws, this instead. */
export function orElse<T, Otherwise>(action: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return action();
  } catch {
    return otherwise;
  }
}
