/** A number of bytes for people: `12 kB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const kB = bytes / 1024;
  return kB < 1024 ? `${Math.round(kB)} kB` : `${Math.round(kB / 102.4) / 10} MB`;
}
