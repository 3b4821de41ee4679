package dev.ebb.host.admin.entries;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.store.EvictionResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Operations on cached entries: the values of clients, or the blocks of an engine. */
public interface EntryOperations {

  /** Why an engine refuses operations on namespaces. */
  String HASHED = "the keys of an engine's blocks are hashes, which name no adapter";

  /**
   * Returns entries.
   *
   * @param prefix the first bytes of their keys
   * @param cursor 0, or {@code next} of the page before
   * @param limit the most entries
   */
  EntryDocument.Page page(byte[] prefix, long cursor, int limit);

  /** Returns an entry; empty if it is not cached. */
  Optional<EntryDocument> find(byte[] key);

  /** Returns an entry and the policy's explanation; empty if it is not cached. */
  Optional<EntryDocument.Explained> explain(byte[] key);

  /** Removes an entry, as a client does; returns whether there was one. */
  boolean delete(byte[] key);

  /** Returns all pins. */
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
   * @param system whether the text is the system message of a chat, and not a whole prompt
   * @param tenant the client whose prompts are meant; null for clients without a name
   * @return empty if nothing of it is cached
   * @throws HttpException if the process cannot read texts
   */
  default Optional<byte[]> keyOf(String text, boolean system, @Nullable String tenant) {
    throw HttpException.bad("only an engine can pin a prompt; name an entry with 'key'");
  }

  /**
   * Returns the namespaces of all entries, the one unused for the longest first.
   *
   * @throws HttpException if keys do not name namespaces
   */
  default List<EntryDocument.NamespaceUse> namespaces() {
    throw HttpException.bad(HASHED);
  }

  /**
   * Removes all entries of a LoRA adapter, as a client does.
   *
   * @param model only those of this model; null for all
   * @throws HttpException if keys do not name adapters
   */
  default EntryDocument.Removed drop(String lora, @Nullable String model) {
    throw HttpException.bad(HASHED);
  }

  /** Evicts at least so many bytes. */
  EvictionResult evictBytes(long bytes);

  /** Evicts so many entries. */
  EvictionResult evictEntries(long entries);

  /** Evicts until no pool is filled beyond a share from 0 to 1. */
  EvictionResult evictTo(double share);

  /** Evicts one entry. */
  EvictionResult evict(byte[] key);
}
