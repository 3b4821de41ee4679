package dev.ebb.host.pool;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.Slab;
import dev.ebb.host.units.ByteSize;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The KV blocks of one device: memory, and who has which part of it.
 *
 * <p>Safe for use by many threads: one lock guards all accounts, and compaction copies while it
 * holds it. The number of a block without a pin changes when the pool is compacted or the block
 * migrates. So whoever keeps numbers either pins the blocks, or follows with a {@link MoveListener}
 * and uses the numbers within {@link #atomically} only. Allocating blocks and noting their numbers,
 * or taking the last pin away and freeing, are such uses.
 */
public final class KvPool implements AutoCloseable {

  /** The length below which a free run counts as fragmented, unless said otherwise. */
  public static final int DEFAULT_SHORT_RUN = 32;

  private static final AtomicLong POOLS = new AtomicLong();

  // Who takes two pools' locks takes the lower order's first.
  final long order = POOLS.incrementAndGet();
  final Object lock = new Object();
  final BlockLedger ledger;
  final RunAllocator allocator;
  private final KvLayout layout;
  private final Slab slab;
  private final int shortRun;
  private final List<MoveListener> listeners = new CopyOnWriteArrayList<>();
  private boolean closed;

  private KvPool(KvLayout layout, Slab slab, int blocks, int shortRun) {
    this.layout = layout;
    this.slab = slab;
    this.shortRun = shortRun;
    ledger = new BlockLedger(blocks);
    allocator = new RunAllocator(blocks, shortRun);
  }

  /**
   * Reserves a device's memory for a pool.
   *
   * @param layout the shape of a block
   * @param device where the pool is to be; it outlives the pool
   * @param bytes the memory to use; what is left of a block is not taken
   * @return an empty pool
   * @throws DeviceException if the memory does not fit, or not one block into it
   */
  public static KvPool open(KvLayout layout, Device device, long bytes) {
    return open(layout, device, bytes, DEFAULT_SHORT_RUN);
  }

  /**
   * Reserves a device's memory for a pool.
   *
   * @param layout the shape of a block
   * @param device where the pool is to be; it outlives the pool
   * @param bytes the memory to use; what is left of a block is not taken
   * @param shortRun the length in blocks below which a free run counts as fragmented
   * @return an empty pool
   * @throws DeviceException if the memory does not fit, or not one block into it
   */
  public static KvPool open(KvLayout layout, Device device, long bytes, int shortRun) {
    long blocks = bytes / layout.blockBytes();
    if (blocks < 1 || blocks > RunAllocator.MAX_BLOCKS) {
      throw new DeviceException(
          "a pool of '%s' would have '%d' blocks of %s, but needs 1 to %d; change ebb.pool.size or the block tokens"
              .formatted(
                  ByteSize.format(bytes),
                  blocks,
                  ByteSize.format(layout.blockBytes()),
                  RunAllocator.MAX_BLOCKS));
    }
    Slab slab = device.reserve(blocks * layout.blockBytes());
    return new KvPool(layout, slab, (int) blocks, shortRun);
  }

  /**
   * Does several things at once: no block moves meanwhile and no other thread gets in between.
   *
   * @param work calls this pool, and waits for nothing
   * @param <T> what it answers
   * @return its answer
   */
  public <T extends @Nullable Object> T atomically(Supplier<T> work) {
    synchronized (lock) {
      return work.get();
    }
  }

  /**
   * The shape of a block.
   *
   * @return the layout
   */
  public KvLayout layout() {
    return layout;
  }

  /**
   * Where the pool is.
   *
   * @return the device
   */
  public Device device() {
    return slab.device();
  }

  /**
   * How many blocks there are.
   *
   * @return free or not
   */
  public int blocks() {
    return allocator.blocks();
  }

  /**
   * How many blocks are free now.
   *
   * @return 0 to {@code blocks()}
   */
  public int freeBlocks() {
    synchronized (lock) {
      return allocator.freeBlocks();
    }
  }

  /**
   * The share of free blocks that lie in short runs now.
   *
   * @return 0 to 1
   */
  public double fragmentation() {
    synchronized (lock) {
      return allocator.fragmentation();
    }
  }

  /**
   * Allocates blocks, each with one reference. Their content is unspecified.
   *
   * @param owner for whom
   * @param count how many, at least 1
   * @param placement how they must lie
   * @return the blocks
   * @throws PoolFullException if they are not free, or not in one run; nothing is taken then
   * @throws DeviceException if the device is lost
   */
  public Allocation allocate(BlockOwner owner, int count, Placement placement) {
    requireNonNull(owner, "owner is null");
    requireNonNull(placement, "placement is null");
    if (count < 1) {
      throw new IllegalArgumentException("count '%d' must be at least 1".formatted(count));
    }
    long start = System.nanoTime();
    synchronized (lock) {
      checkOpen();
      device().requireUsable();
      int[] blocks = new int[Math.min(count, allocator.freeBlocks())];
      if (blocks.length < count || !take(blocks, placement)) {
        throw full(owner, count);
      }
      boolean run = placement == Placement.CONTIGUOUS;
      for (int i = 0; i < count; i++) {
        ledger.allocated(blocks[i], owner, run && i > 0);
      }
      double fragmentation = allocator.fragmentation();
      return new Allocation(
          blocks, (long) count * layout.blockBytes(), System.nanoTime() - start, fragmentation);
    }
  }

  private boolean take(int[] blocks, Placement placement) {
    if (placement == Placement.SCATTERED) {
      return allocator.allocateScattered(blocks, 0, blocks.length);
    }
    int first = allocator.allocate(blocks.length);
    for (int i = 0; first != RunAllocator.NONE && i < blocks.length; i++) {
      blocks[i] = first + i;
    }
    return first != RunAllocator.NONE;
  }

  private PoolFullException full(BlockOwner owner, int count) {
    int free = allocator.freeBlocks();
    String facts =
        "'%s' asked for '%d' blocks on %s: %d of %d are free, %d pinned"
            .formatted(
                owner.name(), count, device().name(), free, allocator.blocks(), ledger.pinned());
    return free < count
        ? new PoolFullException(facts + "; evict, free a sequence or enlarge ebb.pool.size", false)
        : new PoolFullException(
            facts
                + ", the longest run has %d; compact, or ask for scattered blocks"
                    .formatted(allocator.largestRun()),
            true);
  }

  /**
   * Allocates a sequence's maximum ahead of its use.
   *
   * @param owner for whom
   * @param count the most blocks it can need, at least 1
   * @param placement how they must lie
   * @return the blocks, to be taken one after the other
   * @throws PoolFullException if they are not free, or not in one run
   */
  public Reservation reserve(BlockOwner owner, int count, Placement placement) {
    synchronized (lock) {
      return new Reservation(this, allocate(owner, count, placement).blocks());
    }
  }

  /**
   * Adds one user.
   *
   * @param block an allocated block
   * @throws BlockMisuseException if nobody has it
   */
  public void share(int block) {
    synchronized (lock) {
      ledger.share(checkAllocated(block, "shared"));
    }
  }

  /**
   * Writes a block to another owner's account.
   *
   * @param block an allocated block
   * @param owner who has it from now on
   * @throws BlockMisuseException if nobody has it
   */
  public void assign(int block, BlockOwner owner) {
    requireNonNull(owner, "owner is null");
    synchronized (lock) {
      ledger.assign(checkAllocated(block, "assigned"), owner);
    }
  }

  /**
   * Makes a block writable for one of its users: itself if there is no other, else a copy of it,
   * for which the user gives up its reference.
   *
   * @param block an allocated block
   * @param owner who writes
   * @return the block to write to
   * @throws PoolFullException if it must be copied and no block is free
   * @throws BlockMisuseException if nobody has it, or it is being migrated
   */
  public int writable(int block, BlockOwner owner) {
    requireNonNull(owner, "owner is null");
    synchronized (lock) {
      checkAllocated(block, "written");
      if (ledger.migrating(block)) {
        throw new BlockMisuseException(
            "block '%d' is being migrated and cannot be written; wait or cancel the migration"
                .formatted(block));
      }
      ledger.touch(block);
      if (ledger.references(block) == 1) {
        return block;
      }
      int copy = allocator.allocate(1);
      if (copy == RunAllocator.NONE) {
        throw full(owner, 1);
      }
      try {
        BlockMoves moves = new BlockMoves(1);
        moves.add(block, copy);
        slab.copyBlocks(moves, layout.blockBytes());
      } catch (DeviceException failed) {
        allocator.free(copy, 1);
        throw failed;
      }
      ledger.allocated(copy, owner, false);
      ledger.release(block);
      return copy;
    }
  }

  /**
   * Gives up one reference to each block; those without further users become free. All or none.
   *
   * @param blocks allocated blocks
   * @throws BlockMisuseException if one is free already, of no such number, given up more often
   *     than it has references, or would become free while pinned; says whose it was
   */
  public void free(int... blocks) {
    synchronized (lock) {
      // Neighbours become free together: one merge for a run, not one for each block.
      int first = 0;
      int length = 0;
      for (int i = 0; i < blocks.length; i++) {
        int block = blocks[i];
        try {
          checkFreeable(block);
        } catch (BlockMisuseException wrong) {
          giveBack(first, length);
          for (int k = i - 1; k >= 0; k--) {
            undo(blocks[k]);
          }
          throw wrong;
        }
        if (ledger.release(block)) {
          if (block != first + length) {
            giveBack(first, length);
            first = block;
            length = 0;
          }
          length++;
        }
      }
      giveBack(first, length);
    }
  }

  private void giveBack(int first, int length) {
    if (length > 0) {
      allocator.free(first, length);
    }
  }

  private void checkFreeable(int block) {
    checkAllocated(block, "freed");
    int users = ledger.references(block) - (ledger.migrating(block) ? 1 : 0);
    if (users == 1 && ledger.pins(block) > 0) {
      throw new BlockMisuseException(
          "block '%d' of '%s' has '%d' pins and cannot be freed; unpin it first"
              .formatted(block, ledger.owner(block).name(), ledger.pins(block)));
    }
  }

  /** Takes again what was freed a moment ago: nobody else can have it. */
  private void undo(int block) {
    if (allocator.isFree(block)) {
      allocator.takeAt(block, 1);
      ledger.allocated(block, ledger.owner(block), false);
    } else {
      ledger.share(block);
    }
  }

  /**
   * Keeps a block where it is, and allocated, until it is unpinned as often as pinned.
   *
   * @param block an allocated block
   * @throws BlockMisuseException if nobody has it
   */
  public void pin(int block) {
    synchronized (lock) {
      ledger.pin(checkAllocated(block, "pinned"));
    }
  }

  /**
   * Takes one pin away.
   *
   * @param block a pinned block
   * @throws BlockMisuseException if it has no pin
   */
  public void unpin(int block) {
    synchronized (lock) {
      checkAllocated(block, "unpinned");
      if (ledger.pins(block) == 0) {
        throw new BlockMisuseException(
            "block '%d' has no pin; it was unpinned more often than pinned".formatted(block));
      }
      ledger.unpin(block);
    }
  }

  /**
   * Notes an access.
   *
   * @param block an allocated block
   */
  public void touch(int block) {
    synchronized (lock) {
      ledger.touch(checkAllocated(block, "touched"));
    }
  }

  /**
   * What is known of a block.
   *
   * @param block its number
   * @return as of now
   * @throws BlockMisuseException if there is no such block
   */
  public BlockInfo info(int block) {
    synchronized (lock) {
      checkNumber(block);
      BlockOwner owner = ledger.lastOwner(block);
      BlockState state =
          ledger.references(block) == 0
              ? BlockState.FREE
              : ledger.migrating(block) ? BlockState.MIGRATING : BlockState.ALLOCATED;
      return new BlockInfo(
          block,
          device().name(),
          state,
          ledger.references(block),
          owner == null ? null : owner.name(),
          ledger.pins(block),
          ledger.accessed(block));
    }
  }

  /**
   * Reads a block's bytes. Not ordered against a thread that writes the block.
   *
   * @param block an allocated block
   * @param offset where in the block to start
   * @param target receives its size in bytes
   */
  public void read(int block, long offset, MemorySegment target) {
    synchronized (lock) {
      slab.read(place(block, offset, target.byteSize(), "read"), target);
    }
  }

  /**
   * Writes a block's bytes. Not for a block that others share: see {@link #writable}.
   *
   * @param block an allocated block
   * @param offset where in the block to start
   * @param source provides its size in bytes
   */
  public void write(int block, long offset, MemorySegment source) {
    synchronized (lock) {
      slab.write(place(block, offset, source.byteSize(), "written"), source);
    }
  }

  private long place(int block, long offset, long bytes, String what) {
    checkAllocated(block, what);
    Objects.checkFromIndexSize(offset, bytes, (long) layout.blockBytes());
    return (long) block * layout.blockBytes() + offset;
  }

  /**
   * A block's address in its device's address space; stays right while the block is pinned.
   *
   * @param block the block's number
   * @return a pointer value
   */
  public long address(int block) {
    checkNumber(block);
    return slab.address() + (long) block * layout.blockBytes();
  }

  /**
   * A block's bytes, where the JVM can reach them; stays right while the block is pinned.
   *
   * @param block the block's number
   * @return the block; empty on a GPU
   */
  public Optional<MemorySegment> segment(int block) {
    checkNumber(block);
    long bytes = layout.blockBytes();
    return slab.segment().map(memory -> memory.asSlice(block * bytes, bytes));
  }

  /**
   * Registers one who follows blocks that move.
   *
   * @param listener called for every compaction and every migration from here
   */
  public void onMove(MoveListener listener) {
    listeners.add(requireNonNull(listener, "listener is null"));
  }

  /**
   * Lengthens free runs by moving blocks without pins, in one bounded slice. Between batches an
   * engine calls this itself; {@link BackgroundCompaction} does it in idle times.
   *
   * @param threshold stops when the fragmentation is at most this, 0 to 1
   * @param maxBytes stops before more bytes than these are moved, but not before one allocation is
   * @return what was done
   */
  public CompactionReport compact(double threshold, long maxBytes) {
    synchronized (lock) {
      checkOpen();
      return new Compactor(this, shortRun).slice(threshold, maxBytes);
    }
  }

  /**
   * Makes one free run by moving what lies where the least must move.
   *
   * @param count the run's length in blocks, at least 1
   * @return what was done; {@link CompactionReport#largestFreeRun} says whether it worked
   */
  public CompactionReport makeRun(int count) {
    synchronized (lock) {
      checkOpen();
      return new Compactor(this, count).makeRun();
    }
  }

  /**
   * Starts to move blocks, with their references, to another device. Nothing is copied yet. Not to
   * be called within {@link #atomically}: pin the blocks, start, unpin.
   *
   * @param blocks allocated blocks, none twice; they move once they have no pins
   * @param target a pool of the same layout
   * @param checksum whether each copy is read back and compared
   * @return the move, to be run
   * @throws PoolFullException if the target has too few free blocks
   * @throws BlockMisuseException if a block is free or being migrated already
   */
  public Migration migrate(int[] blocks, KvPool target, boolean checksum) {
    return Migration.start(this, blocks.clone(), target, checksum);
  }

  /**
   * Who holds blocks.
   *
   * @return one for each owner; those that should have freed theirs have leaked them
   */
  public List<Leak> held() {
    synchronized (lock) {
      return ledger.held();
    }
  }

  /**
   * The pool in numbers.
   *
   * @return as of now
   */
  public PoolStats stats() {
    synchronized (lock) {
      return new PoolStats(
          allocator.blocks(),
          allocator.freeBlocks(),
          ledger.pinned(),
          ledger.shared(),
          layout.blockBytes(),
          allocator.fragmentation(),
          allocator.largestRun());
    }
  }

  /** Frees the memory, whoever still has blocks; {@link #held} tells. */
  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      slab.close();
    }
  }

  Slab slab() {
    return slab;
  }

  void moved(BlockRelocation moves) {
    listeners.forEach(listener -> listener.moved(moves));
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the pool on '%s' is closed".formatted(device().name()));
    }
  }

  int checkAllocated(int block, String what) {
    checkNumber(block);
    if (ledger.references(block) == 0) {
      BlockOwner last = ledger.lastOwner(block);
      throw new BlockMisuseException(
          "block '%d' cannot be %s: nobody has it%s"
              .formatted(
                  block,
                  what,
                  last == null
                      ? ""
                      : "; '%s' had it last and gave it back".formatted(last.name())));
    }
    return block;
  }

  private void checkNumber(int block) {
    if (block < 0 || block >= allocator.blocks()) {
      throw new BlockMisuseException(
          "block '%d' is not of the pool on '%s': its blocks are 0 to %d"
              .formatted(block, device().name(), allocator.blocks() - 1));
    }
  }
}
