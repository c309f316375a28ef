/** Gives the file to the browser as a download. @param otherwise its name if the response has none */
export function saveFile({ headers, data }: { headers: Headers; data: Blob }, otherwise: string): void {
  const named = /filename="([\w.-]+)"/.exec(headers.get('Content-Disposition') ?? '');
  saveBlob(data, named?.[1] ?? otherwise);
}

export function saveBlob(data: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
