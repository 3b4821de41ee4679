package dev.ebb.host.admin.entries;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.store.stats.EvictionResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Operations on cached entries: the values of clients, or the blocks of an engine. */
public interface EntryOperations {

  /**
   * Names a prompt of which blocks are cached: by its text or by its tokens.
   *
   * @param text the prompt; null if there are tokens
   * @param system whether the text is the system message of a chat, and not a whole prompt
   * @param tenant the client whose prompts are meant; null for clients without a name
   * @param model the model, with LoRA adapter and salt; null for what the tenant's requests have
   */
  @SuppressWarnings("ArrayRecordComponent")
  record PromptName(
      @Nullable String text,
      boolean system,
      int[] tokens,
      @Nullable String tenant,
      @Nullable String model,
      @Nullable String lora,
      @Nullable String salt) {}

  /**
   * Returns entries.
   *
   * @param prefix the first bytes of their keys
   * @param cursor 0, or {@code next} of the page before
   */
  EntryDocument.Page page(byte[] prefix, long cursor, int limit);

  /** Returns an entry; empty if it is not cached. */
  Optional<EntryDocument> find(byte[] key);

  /** Returns an entry and the policy's explanation; empty if it is not cached. */
  Optional<EntryDocument.Explained> explain(byte[] key);

  /** Removes an entry, as a client does; returns whether there was one. */
  boolean delete(byte[] key);

  List<EntryDocument.PinDocument> pins();

  /**
   * Pins an entry; an existing pin of the owner gets the new end.
   *
   * @param time how long; zero without end
   * @return the pin; empty if the entry is not cached
   * @throws UserError if the pin budget is too small
   */
  Optional<EntryDocument.PinDocument> pin(byte[] key, String owner, Duration time);

  /** Removes the pins of an owner, null for all; returns whether there was one. */
  boolean unpin(byte[] key, @Nullable String owner);

  /**
   * Returns the key of the last cached entry of a prompt.
   *
   * @return empty if nothing of it is cached
   * @throws HttpException if the process has no prompts, or cannot read texts
   */
  default Optional<byte[]> keyOf(PromptName prompt) {
    throw HttpException.bad("only an engine can pin a prompt; name an entry with 'key'");
  }

  /** Returns the namespaces of all entries, the one unused for the longest first. */
  List<EntryDocument.NamespaceUse> namespaces();

  /**
   * Removes all entries of a LoRA adapter, as a client does.
   *
   * @param model only those of this model; null for all
   */
  EntryDocument.Removed drop(String lora, @Nullable String model);

  EvictionResult evictBytes(long bytes);

  EvictionResult evictEntries(long entries);

  /** Evicts until no pool is filled beyond a share from 0 to 1. */
  EvictionResult evictTo(double share);

  EvictionResult evict(byte[] key);
}
