package dev.ebb.host.admin.entries;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.ebb.host.engine.CachedBlocks;
import dev.ebb.host.engine.pool.CachedBlock;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.View;
import dev.ebb.host.store.key.KeyNamespace;
import dev.ebb.host.store.stats.EvictionResult;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The cached blocks of an engine. A key is 32 hexadecimal digits. */
public final class EngineEntries implements EntryOperations {

  private final CachedBlocks blocks;
  private final @Nullable String partition;

  /**
   * Creates the operations.
   *
   * @param partition the partition of all blocks; null for the names of their devices
   */
  public EngineEntries(CachedBlocks blocks, @Nullable String partition) {
    this.blocks = blocks;
    this.partition = partition;
  }

  @Override
  public EntryDocument.Page page(byte[] prefix, long cursor, int limit) {
    CachedBlock.Page page = blocks.page(text(prefix), cursor, limit);
    return new EntryDocument.Page(
        page.blocks().stream().map(this::document).toList(), Long.toString(page.next()), null);
  }

  @Override
  public Optional<EntryDocument> find(byte[] key) {
    return blocks.get(text(key)).map(this::document);
  }

  @Override
  public Optional<EntryDocument.Explained> explain(byte[] key) {
    return find(key)
        .map(entry -> EntryDocument.Explained.of(entry, blocks.explain(text(key)).orElse(null)));
  }

  @Override
  public boolean delete(byte[] key) {
    String kept = blocks.delete(text(key));
    if (kept != null && !kept.isEmpty()) {
      throw new HttpException(409, kept);
    }
    return kept != null;
  }

  @Override
  public List<EntryDocument.PinDocument> pins() {
    return blocks.pinned().stream().flatMap(this::pins).toList();
  }

  @Override
  public Optional<EntryDocument.PinDocument> pin(byte[] key, String owner, Duration time) {
    return blocks.pin(text(key), owner, time).stream()
        .flatMap(this::pins)
        .filter(pin -> pin.owner().equals(owner))
        .findFirst();
  }

  @Override
  public boolean unpin(byte[] key, @Nullable String owner) {
    return blocks.unpin(text(key), owner);
  }

  @Override
  public Optional<byte[]> keyOf(PromptName prompt) {
    try {
      return find(prompt).map(key -> key.getBytes(US_ASCII));
    } catch (UserError unreadable) {
      throw HttpException.bad(String.join("; ", unreadable.messages()));
    } catch (IllegalArgumentException noName) {
      throw HttpException.bad(String.valueOf(noName.getMessage()));
    }
  }

  private Optional<String> find(PromptName prompt) {
    if (prompt.text() != null) {
      return blocks.find(prompt.text(), prompt.system(), prompt.tenant());
    }
    return prompt.model() == null
        ? blocks.find(prompt.tenant(), prompt.tokens())
        : blocks.find(
            new Namespace(prompt.model(), prompt.lora(), prompt.salt(), List.of()),
            prompt.tokens());
  }

  @Override
  public List<EntryDocument.NamespaceUse> namespaces() {
    return totals(blocks.all()).uses();
  }

  @Override
  public EntryDocument.Removed drop(String lora, @Nullable String model) {
    return totals(
            blocks.delete(namespace ->
                lora.equals(namespace.adapter())
                    && (model == null || model.equals(namespace.model()))))
        .removed();
  }

  private static NamespaceTotals totals(List<CachedBlock> blocks) {
    NamespaceTotals totals = new NamespaceTotals();
    blocks.forEach(block -> totals.add(namespace(block), block.bytes(), block.idle()));
    return totals;
  }

  private static KeyNamespace namespace(CachedBlock block) {
    Namespace of = block.namespace();
    return of == null
        ? new KeyNamespace(null, null, null, null)
        : new KeyNamespace(of.model(), of.adapter(), of.salt(), null);
  }

  @Override
  public EvictionResult evictBytes(long bytes) {
    return result(blocks.evictBytes(bytes));
  }

  @Override
  public EvictionResult evictEntries(long entries) {
    return result(blocks.evictBlocks(entries));
  }

  @Override
  public EvictionResult evictTo(double share) {
    return result(blocks.evictTo(share));
  }

  @Override
  public EvictionResult evict(byte[] key) {
    return result(blocks.evict(text(key)));
  }

  private static String text(byte[] key) {
    return new String(key, US_ASCII);
  }

  private static EvictionResult result(CachedBlock.Eviction done) {
    return View.of(EvictionResult.class, done)
        .with("entries", done.blocks())
        .with("whyNotMore", done.reason())
        .get();
  }

  private String partition(CachedBlock block) {
    return partition == null ? block.device() : partition;
  }

  private EntryDocument document(CachedBlock block) {
    KeyNamespace namespace = namespace(block);
    return View.of(EntryDocument.class, block)
        .with("text", block.key())
        .with("chargedBytes", block.bytes())
        .with("tier", EntryDocument.MEMORY)
        .with("state", block.sequences() > 0 ? "reused" : "active")
        .with("ageSeconds", block.age().toNanos() / 1e9)
        .with("idleSeconds", block.idle().toNanos() / 1e9)
        .with("readers", block.sequences())
        .with("pins", pins(block).toList())
        .with("model", namespace.model())
        .with("lora", namespace.lora())
        .with("partition", partition(block))
        .get();
  }

  private Stream<EntryDocument.PinDocument> pins(CachedBlock block) {
    return block.pins().stream()
        .map(pin ->
            new EntryDocument.PinDocument(
                block.key(),
                block.key(),
                pin.owner(),
                pin.since().truncatedTo(ChronoUnit.MILLIS).toString(),
                moment(pin.expiresAt()),
                block.bytes() * (block.depth() + 1),
                partition(block)));
  }

  private static @Nullable String moment(@Nullable Instant instant) {
    return instant == null ? null : instant.truncatedTo(ChronoUnit.MILLIS).toString();
  }
}
