// Several files as one archive: ZIP without compression (PKWARE's APPNOTE, sections 4.3.7,
// 4.3.12 and 4.3.16), which every system opens.

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

function crc(data) {
  let c = 0xffffffff;
  for (const b of data) c = table[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** Numbers of 2 or 4 bytes, little-endian. */
function bytesOf(...fields) {
  const out = [];
  for (const [size, value] of fields) for (let i = 0; i < size; i++) out.push((value >>> (8 * i)) & 255);
  return Uint8Array.from(out);
}

/** An archive of files, each {name, data}. */
export function zip(files) {
  const parts = [], directory = [];
  let at = 0;
  const put = (into, part) => { into.push(part); return part.length; };
  for (const { name, data } of files) {
    const path = new TextEncoder().encode(name), utf8 = 0x0800, day = 0x0021; // 1980-01-01: the same files, the same archive
    const common = [[2, 20], [2, utf8], [2, 0], [2, 0], [2, day], [4, crc(data)], [4, data.length], [4, data.length], [2, path.length], [2, 0]];
    directory.push(bytesOf([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]), path);
    at += put(parts, bytesOf([4, 0x04034b50], ...common)) + put(parts, path) + put(parts, data);
  }
  const size = directory.reduce((n, part) => n + part.length, 0);
  return new Blob([...parts, ...directory, bytesOf([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at], [2, 0])], { type: "application/zip" });
}
