package dev.ebb.host.admin.entries;

import dev.ebb.host.store.stats.EvictionResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The values of clients, and the blocks of sequences of engines in other processes. */
public final class CombinedEntries implements EntryOperations {

  /** Cursors from here on are those of the blocks. */
  private static final long OF_BLOCKS = 1L << 62;

  private static final EntryDocument.Page NONE = new EntryDocument.Page(List.of(), "0", null);

  private final EntryOperations values;
  private final Supplier<@Nullable EntryOperations> blocks;

  /**
   * Creates the operations.
   *
   * @param blocks returns null while there are none
   */
  public CombinedEntries(EntryOperations values, Supplier<@Nullable EntryOperations> blocks) {
    this.values = values;
    this.blocks = blocks;
  }

  private List<EntryOperations> all() {
    EntryOperations now = blocks.get();
    return now == null ? List.of(values) : List.of(values, now);
  }

  @Override
  public EntryDocument.Page page(byte[] prefix, long cursor, int limit) {
    EntryOperations others = all().getLast();
    if (cursor >= OF_BLOCKS) {
      EntryDocument.Page page =
          others == values ? NONE : others.page(prefix, cursor - OF_BLOCKS, limit);
      return new EntryDocument.Page(page.entries(), after(page, 0), null);
    }
    EntryDocument.Page page = values.page(prefix, cursor, limit);
    int rest = limit - page.entries().size();
    if (others == values || !page.next().equals("0")) {
      return page;
    }
    List<EntryDocument> entries = new ArrayList<>(page.entries());
    EntryDocument.Page more = rest == 0 ? NONE : others.page(prefix, 0, rest);
    entries.addAll(more.entries());
    String next = rest == 0 ? Long.toString(OF_BLOCKS) : after(more, 0);
    return new EntryDocument.Page(entries, next, page.diskValues());
  }

  private static String after(EntryDocument.Page page, long end) {
    long next = Long.parseLong(page.next());
    return Long.toString(next == 0 ? end : OF_BLOCKS + next);
  }

  private <T> Optional<T> first(Function<EntryOperations, Optional<T>> found) {
    return all().stream().map(found).flatMap(Optional::stream).findFirst();
  }

  @Override
  public Optional<EntryDocument> find(byte[] key) {
    return first(each -> each.find(key));
  }

  @Override
  public Optional<EntryDocument.Explained> explain(byte[] key) {
    return first(each -> each.explain(key));
  }

  @Override
  public boolean delete(byte[] key) {
    return all().stream().anyMatch(each -> each.delete(key));
  }

  @Override
  public List<EntryDocument.PinDocument> pins() {
    return all().stream().flatMap(each -> each.pins().stream()).toList();
  }

  @Override
  public Optional<EntryDocument.PinDocument> pin(byte[] key, String owner, Duration time) {
    return first(each -> each.pin(key, owner, time));
  }

  @Override
  public boolean unpin(byte[] key, @Nullable String owner) {
    return all().stream().anyMatch(each -> each.unpin(key, owner));
  }

  @Override
  public Optional<byte[]> keyOf(PromptName prompt) {
    return all().getLast().keyOf(prompt);
  }

  @Override
  public List<EntryDocument.NamespaceUse> namespaces() {
    return all().stream().flatMap(each -> each.namespaces().stream()).toList();
  }

  @Override
  public EntryDocument.Removed drop(String lora, @Nullable String model) {
    return all().stream()
        .map(each -> each.drop(lora, model))
        .reduce(EntryDocument.Removed::plus)
        .orElseThrow();
  }

  @Override
  public EvictionResult evictBytes(long bytes) {
    return evict(bytes, EvictionResult::freedBytes, each -> left -> each.evictBytes(left));
  }

  @Override
  public EvictionResult evictEntries(long entries) {
    return evict(entries, EvictionResult::entries, each -> left -> each.evictEntries(left));
  }

  /** Evicts values, and blocks if that is not enough. */
  private EvictionResult evict(
      long wanted,
      ToLongFunction<EvictionResult> done,
      Function<EntryOperations, LongFunction<EvictionResult>> evict) {
    EvictionResult result = evict.apply(values).apply(wanted);
    EntryOperations others = all().getLast();
    long left = wanted - done.applyAsLong(result);
    if (left <= 0 || others == values) {
      return result;
    }
    EvictionResult rest = evict.apply(others).apply(left);
    return result.plus(rest, rest.whyNotMore());
  }

  @Override
  public EvictionResult evictTo(double share) {
    return all().stream()
        .map(each -> each.evictTo(share))
        .reduce((one, other) ->
            one.plus(
                other,
                Stream.of(one, other)
                    .map(EvictionResult::whyNotMore)
                    .filter(why -> !why.isEmpty())
                    .collect(Collectors.joining("; "))))
        .orElseThrow();
  }

  @Override
  public EvictionResult evict(byte[] key) {
    return all().stream()
        .filter(each -> each.find(key).isPresent())
        .findFirst()
        .orElse(values)
        .evict(key);
  }
}
