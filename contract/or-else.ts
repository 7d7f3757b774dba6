/** Returns what the action returns, or `otherwise` if it throws anything. */
export function orElse<T, Otherwise>(action: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return action();
  } catch {
    return otherwise;
  }
}
