/** Memory of the kernels: a stack. A caller reads the top, allocates, and sets the top back when it is done. */

const ALIGNMENT = 8;
const PAGE_BYTES = 65536;

let top: usize = __heap_base;

/** Address of the next list. */
export function arenaTop(): usize {
  return top;
}

/** Releases everything from an address on, which {@link arenaTop} returned. */
export function setArenaTop(address: usize): void {
  top = address;
}

/** Memory with undefined content, aligned to 8 bytes. The caller's views of the memory may be detached. */
export function allocate(bytes: usize): usize {
  const address = top;
  top = (address + bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
  const pages = <i32>((top + PAGE_BYTES - 1) / PAGE_BYTES) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) unreachable();
  return address;
}

/** The element of a list. */
export function get<T>(list: usize, index: i32): T {
  return load<T>(list + <usize>index * sizeof<T>());
}

/** Changes the element of a list. */
export function set<T>(list: usize, index: i32, value: T): void {
  store<T>(list + <usize>index * sizeof<T>(), value);
}

/** Memory for elements. */
export function allocateList<T>(length: i32): usize {
  return allocate(<usize>length * sizeof<T>());
}
