package dev.ebb.host.store.tile;

import dev.ebb.spi.NodeList;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.objects.Object2IntMap;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What one client looks up at a time, in the order of arrival. The keys of each row are those of a
 * prompt, or of several: a row has one model, tenant and object group.
 */
public final class LookupBatch extends NodeList.Node<LookupBatch> {

  static final int NOT_FOUND = -1;

  private final LongArrayList lows = new LongArrayList();
  private final LongArrayList highs = new LongArrayList();
  private final List<Object> connections = new ArrayList<>();
  private final BitSet found = new BitSet();

  /** Keys without a value here that have one on another node or tier. */
  private final BitSet elsewhere = new BitSet();

  private final List<Object> rows = new ArrayList<>();

  /** The rows of objects that are of the chunks of the other rows. */
  private final Set<Object> others = new LinkedHashSet<>();

  /** How many lookups its connection had sent in this batch before each one. */
  private final IntArrayList places = new IntArrayList();

  private final Object2IntOpenHashMap<Object> sent = new Object2IntOpenHashMap<>();
  private final Long2IntOpenHashMap indexes = new Long2IntOpenHashMap();

  /** Lookups, also those that are not collected. */
  private int total;

  /** The lookups of a whole tile, as far as known; 0 if unknown. */
  private int completeTile;

  private boolean hasFront;

  /** Its client has read or stored chunks of another prompt since the first lookup. */
  private boolean interrupted;

  private boolean mixed;

  /** When its last lookup arrived. */
  private long lastNanos;

  private final Object source;

  public LookupBatch(Object source) {
    this.source = source;
    indexes.defaultReturnValue(NOT_FOUND);
  }

  /** Adds a lookup of a key, by its connection and its row. */
  public void add(Object connection, Object row, long low, long high, boolean exists, long nanos) {
    indexes.put(low, lows.size());
    found.set(lows.size(), exists);
    append(connection, row, low, high);
    pass(connection, nanos);
  }

  private void append(Object connection, Object row, long low, long high) {
    lows.add(low);
    highs.add(high);
    connections.add(connection);
    rows.add(row);
    places.add(sent.getInt(connection));
  }

  /** Records that the value of the last lookup exists on another node or tier. */
  public void markElsewhere() {
    elsewhere.set(lows.size() - 1);
  }

  /** Counts a lookup of a key that is not collected, because another rank's stands for it. */
  public void pass(Object connection, long nanos) {
    sent.addTo(connection, 1);
    total++;
    mixed |= interrupted;
    lastNanos = nanos;
  }

  /**
   * Adds a command for an object of another group, whose chunk is collected too: its tiles are cut
   * elsewhere, which shows more of the order.
   */
  public void also(Object connection, Object row, long low, long nanos) {
    others.add(row);
    append(connection, row, low, 0);
    pass(connection, nanos);
  }

  public Object source() {
    return source;
  }

  public long lastNanos() {
    return lastNanos;
  }

  public boolean contains(long low) {
    return indexes.get(low) != NOT_FOUND;
  }

  public int size() {
    return lows.size();
  }

  public long low(int index) {
    return lows.getLong(index);
  }

  public long high(int index) {
    return highs.getLong(index);
  }

  public boolean isAvailable(long low) {
    int index = indexes.get(low);
    return index != NOT_FOUND && isAvailable(index);
  }

  /** Records that a connection has sent a whole tile, because it goes on with another prompt. */
  public void tileIsComplete(Object connection) {
    completeTile = sent.getInt(connection);
  }

  /** Returns whether a connection has sent a part of a tile, as far as is known. */
  public boolean isInTile(Object connection) {
    int lookups = sent.getInt(connection);
    return lookups > 0 && lookups < completeTile;
  }

  public void interrupt() {
    interrupted = true;
  }

  public void mix() {
    mixed = true;
  }

  /** Returns whether its client had other prompts in flight: their tiles may be mixed here. */
  public boolean isMixed() {
    return mixed;
  }

  public void markFront() {
    hasFront = true;
  }

  public boolean hasFront() {
    return hasFront;
  }

  public boolean found(int index) {
    return found.get(index);
  }

  /** Returns whether a lookup found a value, here or elsewhere. */
  public boolean isAvailable(int index) {
    return found.get(index) || elsewhere.get(index);
  }

  public List<Object> rows() {
    return rows.stream().distinct().filter(row -> !others.contains(row)).toList();
  }

  public Set<Object> others() {
    return others;
  }

  IntList ofRow(Object row) {
    IntArrayList indexes = new IntArrayList();
    for (int i = 0; i < rows.size(); i++) {
      if (rows.get(i).equals(row)) {
        indexes.add(i);
      }
    }
    return indexes;
  }

  /** Forgets that a lookup found a value, which is not of the prefix that was read. */
  public void forget(int index) {
    found.clear(index);
    elsewhere.clear(index);
  }

  Object connection(int index) {
    return connections.get(index);
  }

  int place(int index) {
    return places.getInt(index);
  }

  /** Returns the last lookup of the only tile that is shorter than the others. */
  int endOfShortTile(int tileSize) {
    Object shorter = null;
    for (Object2IntMap.Entry<Object> each : sent.object2IntEntrySet()) {
      if (each.getIntValue() % tileSize != 0) {
        if (shorter != null) {
          return NOT_FOUND;
        }
        shorter = each.getKey();
      }
    }
    return shorter == null ? NOT_FOUND : connections.lastIndexOf(shorter);
  }

  /**
   * Returns how many lookups its connections sent, as the median: a tile, if it was cut in tiles.
   */
  public int medianSent() {
    int[] counts = sent.values().toIntArray();
    Arrays.sort(counts);
    return counts[counts.length / 2];
  }

  /** Returns whether its connections sent whole tiles, of which a fast one takes several. */
  public boolean isInTiles(int workers) {
    return isInTilesOf(medianSent()) || isInTilesOf(tileSize(workers));
  }

  /** Only the last tile can be shorter. */
  private boolean isInTilesOf(int tile) {
    return sent.values().intStream().filter(lookups -> lookups % tile != 0).count() < 2;
  }

  /** Returns the size of all tiles but the last, if this is a whole batch of a client. */
  int tileSize(int workers) {
    return Math.ceilDiv(total, Math.max(1, Math.min(workers, total)));
  }
}
