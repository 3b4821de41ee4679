package dev.ebb.host.pool;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.Slab;
import java.util.List;
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
  final BlockAccounts accounts;
  final BlockLedger ledger;
  final RunAllocator allocator;
  private final KvLayout layout;
  private final Slab slab;
  private final BlockMemory memory;
  private final PoolMovement movement;
  private boolean closed;

  private KvPool(KvLayout layout, Slab slab, int blocks, int shortRun) {
    this.layout = layout;
    this.slab = slab;
    accounts = new BlockAccounts(slab.device().name(), blocks, shortRun);
    ledger = accounts.ledger;
    allocator = accounts.allocator;
    memory = new BlockMemory(this, slab);
    movement = new PoolMovement(this, shortRun);
  }

  /**
   * The same as {@link #open(KvLayout, Device, long, int)}, for {@link #DEFAULT_SHORT_RUN}.
   *
   * @param layout the shape of a block
   * @param device where the pool is to be
   * @param bytes the memory to use
   * @return an empty pool
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
    int blocks = layout.poolBlocks(bytes);
    Slab slab = device.reserve((long) blocks * layout.blockBytes());
    return new KvPool(layout, slab, blocks, shortRun);
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
   * The blocks' bytes.
   *
   * @return what may be used until the pool is closed
   */
  public BlockMemory memory() {
    return memory;
  }

  /**
   * What moves blocks: compaction, and migration to other pools.
   *
   * @return what may be used until the pool is closed
   */
  public PoolMovement movement() {
    return movement;
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
      int[] blocks = accounts.allocate(owner, count, placement);
      double fragmentation = allocator.fragmentation();
      return new Allocation(
          blocks, (long) count * layout.blockBytes(), System.nanoTime() - start, fragmentation);
    }
  }

  /**
   * Allocates blocks that need not lie in one run, for callers on the way of every token: nothing
   * is allocated on the heap.
   *
   * @param owner for whom
   * @param into receives the blocks from index 0 on, each with one reference
   * @param count how many, 1 to the array's length
   * @throws PoolFullException if they are not free; nothing is taken then
   * @throws DeviceException if the device is lost
   */
  public void allocate(BlockOwner owner, int[] into, int count) {
    requireNonNull(owner, "owner is null");
    if (count < 1 || count > into.length) {
      throw new IllegalArgumentException(
          "count '%d' must be from 1 to %d".formatted(count, into.length));
    }
    synchronized (lock) {
      checkOpen();
      device().requireUsable();
      accounts.allocate(owner, into, count);
    }
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
      ledger.share(accounts.checkAllocated(block, "shared"));
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
      ledger.assign(accounts.checkAllocated(block, "assigned"), owner);
    }
  }

  /**
   * Makes a block writable for one of its users: itself if there is no other, else a copy of it,
   * for which the user releases its reference.
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
      accounts.checkWritable(block);
      ledger.touch(block);
      if (ledger.references(block) == 1) {
        return block;
      }
      int copy = allocator.allocate(1);
      if (copy == RunAllocator.NONE) {
        throw accounts.full(owner, 1);
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
   * Releases one reference to each block; those without further users become free. All or none.
   *
   * @param blocks allocated blocks
   * @throws BlockMisuseException if one is free already, of no such number, released more often
   *     than it has references, or would become free while pinned; says whose it was
   */
  public void free(int... blocks) {
    synchronized (lock) {
      accounts.free(blocks);
    }
  }

  /**
   * Releases one reference to a block, as {@link #free(int...)} does.
   *
   * @param block an allocated block
   * @throws BlockMisuseException as there
   */
  public void free(int block) {
    synchronized (lock) {
      accounts.free(block);
    }
  }

  /**
   * How many users a block has.
   *
   * @param block its number
   * @return 0 if it is free; a migration counts as one
   * @throws BlockMisuseException if there is no such block
   */
  public int references(int block) {
    synchronized (lock) {
      accounts.checkNumber(block);
      return ledger.references(block);
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
      ledger.pin(accounts.checkAllocated(block, "pinned"));
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
      accounts.unpin(block);
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
      return accounts.info(block);
    }
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
      return accounts.stats(layout.blockBytes());
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

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the pool on '%s' is closed".formatted(device().name()));
    }
  }
}
