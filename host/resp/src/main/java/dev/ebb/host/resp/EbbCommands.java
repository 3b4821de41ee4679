package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.Explanation;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.hint.HintEnvelope;
import dev.ebb.host.hint.HintLedger;
import dev.ebb.host.hint.HintResult;
import dev.ebb.host.hint.RequestHints;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.RequestRouter.RankedNode;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.key.StatedTokens;
import dev.ebb.host.store.key.TokenIndex;
import dev.ebb.host.store.lease.Pin;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Commands that Redis does not have. Clients see them as those of a module. */
final class EbbCommands extends SessionCommands {

  static final String MODULE = "ebb";
  static final String PREFIX = MODULE + ".";

  /** The version of these commands, as modules of Redis count: 10,000 for 1.0.0. */
  static final int VERSION = 100;

  /** The tokens of a chunk of LMCache, unless its configuration has another number. */
  private static final int CHUNK_TOKENS = 256;

  static final int MOST_CHUNK_TOKENS = 1 << 20;

  /** The most bytes of keys that a connection keeps for hints. */
  private static final long MOST_KEPT_BYTES = 1 << 20;

  private static final String NO_CLUSTER =
      "ERR this Ebb is not a node of a cluster; set ebb.cluster.enabled = true and start it again";

  private static final String NO_TOKENS =
      "ERR tokens are not known without KV events; set ebb.server.kv-events.enabled = true and start"
          + " it again";

  private final PriorityScale priorities;
  private final HintLedger hints;
  private final long maxRetention;

  /** The request begun last, if hints may fetch its chunks from elsewhere; null otherwise. */
  private @Nullable String lastId;

  private List<byte[]> lastKeys = List.of();

  EbbCommands(Commands on) {
    super(on);
    priorities = connections.options.priorities();
    hints = connections.hints;
    maxRetention = connections.options.clients().maxRetention().toNanos();
  }

  void match(List<byte[]> words) throws CommandException {
    List<byte[]> keys = words.subList(1, words.size());
    remote.find(keys, elsewhere -> replies.integer(connection.match(keys, elsewhere)));
  }

  /** Replies which blocks of a prompt are resident in values that the user may use. */
  void blocks(List<byte[]> words) throws CommandException {
    if (store.tokenIndex() == TokenIndex.NONE) {
      throw new CommandException(NO_TOKENS);
    }
    long[] blocks = new long[words.size() - 1];
    for (int i = 0; i < blocks.length; i++) {
      String hash = Text.of(words.get(i + 1));
      try {
        blocks[i] = hash.startsWith("-") ? Long.parseLong(hash) : Long.parseUnsignedLong(hash);
      } catch (NumberFormatException wrong) {
        throw new CommandException(
            "ERR block hash '%s' must be a whole number of 64 bits".formatted(hash));
      }
    }
    boolean[] resident = store.tokenIndex().resident(blocks, requireNonNull(session.user)::uses);
    replies.array(resident.length);
    for (boolean each : resident) {
      replies.integer(each ? 1 : 0);
    }
  }

  void unpin(List<byte[]> words) throws CommandException {
    replies.integer(store.unpin(words.get(1), owner(words)) ? 1 : 0);
  }

  /** Replies as WAIT of Redis does. */
  void awaitReplicas(List<byte[]> words) throws CommandException {
    long nodes = Text.integer(words.get(1));
    long millis = Text.integer(words.get(2), "ERR timeout is not an integer or out of range");
    if (millis < 0) {
      throw new CommandException("ERR timeout is negative");
    }
    if (!remote.hasNodes()) {
      throw new CommandException(NO_CLUSTER);
    }
    remote.awaitReplicas(nodes, millis);
  }

  private static boolean statesTokens(List<byte[]> words) {
    return Text.upper(words.get(1)).equals("TOKENS");
  }

  /** Returns the keys of EBB.ROUTE; none if there are too few words. */
  static List<byte[]> routeKeys(List<byte[]> words) {
    int first = statesTokens(words) ? 3 : 1;
    return words.subList(Math.min(first, words.size()), words.size());
  }

  void route(List<byte[]> words) throws CommandException {
    boolean stated = statesTokens(words);
    if (stated && words.size() < 4) {
      throw CommandException.arity(Command.EBB_ROUTE.lower);
    }
    long tokens = stated ? chunkTokens(words.get(2)) : CHUNK_TOKENS;
    remote.route(routeKeys(words), (int) tokens, this::nodes);
  }

  private static long chunkTokens(byte[] word) throws CommandException {
    long tokens = Text.integer(word);
    if (tokens < 1 || tokens > MOST_CHUNK_TOKENS) {
      throw new CommandException(
          "ERR TOKENS '%d' must be 1 to %d, the tokens of a chunk"
              .formatted(tokens, MOST_CHUNK_TOKENS));
    }
    return tokens;
  }

  private void nodes(List<RankedNode> nodes) throws CommandException {
    if (nodes.isEmpty()) {
      throw new CommandException(NO_CLUSTER);
    }
    replies.value(nodes.stream().map(EbbCommands::row).toList());
  }

  private static List<Object> row(RankedNode node) {
    return List.of(
        node.name(),
        node.address(),
        node.prefixKeys(),
        node.tokensSaved(),
        node.bytesToMove(),
        String.format(Locale.ROOT, "%.3f", node.load()));
  }

  void request(List<byte[]> words) throws CommandException {
    switch (EbbRequest.parse(words, priorities)) {
      case EbbRequest.Begin begin -> begin(begin);
      case EbbRequest.End end -> {
        if (!connection.end(
            end.id(),
            end.outputTokens(),
            facts ->
                grown(facts, end.outputTokens())
                    .withReuse(end.lifetimeNanos(), end.cost())
                    .ended(end.hint(), end.end()))) {
          throw notOpen(end.id());
        }
        replies.ok();
      }
    }
  }

  private static CommandException notOpen(String id) {
    return new CommandException(
        "ERR request '%s' is not open: begin it on the same connection with EBB.REQUEST BEGIN"
            .formatted(id));
  }

  /** Returns the attributes with the length of prompt and answer. */
  private static RequestFacts grown(RequestFacts facts, long outputTokens) {
    long input = facts.sequenceLength();
    return input < 0 || outputTokens < 0
        ? facts
        : facts.withLengths(input + outputTokens, facts.maxSequenceLength());
  }

  private void begin(EbbRequest.Begin begin) throws CommandException {
    String tenant = requireNonNull(session.user).tenant;
    RequestFacts facts =
        new RequestFacts(
            -1,
            -1,
            begin.inputTokens(),
            begin.mostTokens(),
            begin.priority(),
            tenant == null ? begin.tenant() : tenant,
            begin.label(),
            begin.hint(),
            begin.lifetimeNanos(),
            begin.cost(),
            begin.end());
    remote.find(
        begin.keys(),
        elsewhere -> {
          try {
            StatedTokens tokens = begin.tokens();
            if (tokens != null) {
              store.tokenIndex().stated(tokens);
            }
            if (begin.groups() != null) {
              connection.state(begin.keys().getFirst(), begin.groups());
            }
            int found =
                connection.begin(
                    begin.id(),
                    begin.traceparent(),
                    facts,
                    begin.outputTokens(),
                    begin.keys(),
                    elsewhere);
            begun(begin);
            replies.integer(found);
          } catch (UserError refused) {
            throw new CommandException("ERR " + String.join("; ", refused.messages()));
          }
        });
  }

  private void begun(EbbRequest.Begin begin) {
    if (hints.awaitsRequests()) {
      hints.began(requireNonNull(connection.chunks(begin.id())));
    }
    boolean kept =
        remote.on() && begin.keys().stream().mapToLong(key -> key.length).sum() <= MOST_KEPT_BYTES;
    lastId = kept ? begin.id() : null;
    lastKeys = kept ? begin.keys() : List.of();
  }

  /** Replies with the id, the outcome and the reason of each action. */
  void hints(List<byte[]> words) throws CommandException {
    String id = Text.of(words.get(1));
    long tokens = CHUNK_TOKENS;
    if (words.size() == 5 && statesTokens(words.subList(1, 5))) {
      tokens = chunkTokens(words.get(3));
    } else if (words.size() != 3) {
      throw CommandException.syntax();
    }
    long[] chunks = connection.chunks(id);
    if (chunks == null) {
      throw notOpen(id);
    }
    HintEnvelope envelope;
    try {
      envelope = HintEnvelope.parse(new String(words.getLast(), StandardCharsets.UTF_8));
    } catch (UserError wrong) {
      throw new CommandException("ERR " + wrong.getMessage());
    }
    RequestHints hinted =
        RequestHints.of(
            envelope,
            new RequestHints.Target(
                chunks.length, (int) tokens, id.equals(lastId), remote.hasNodes(), maxRetention));
    String tenant = requireNonNullElse(connection.tenant(id), "");
    List<HintResult> results =
        hints.record(new HintLedger.Source(tenant, id, envelope.messageId()), hinted, chunks);
    connection.hint(id, hinted::addTo);
    if (hinted.fetches()) {
      remote.prefetch(lastKeys);
    }
    replies.value(
        results.stream()
            .map(each -> List.of(each.action(), each.outcome(), each.reason()))
            .toList());
  }

  void ranges(List<byte[]> words) throws CommandException {
    long offset = Text.integer(words.get(1));
    long length = Text.integer(words.get(2));
    if (length < 0) {
      throw new CommandException(
          "ERR length '%d' is negative, give the number of bytes".formatted(length));
    }
    LongFunction<ByteRange> wanted = size -> range(size, offset, length);
    List<@Nullable ValuePart> parts = new ArrayList<>(words.size() - 3);
    List<byte[]> keys = words.subList(3, words.size());
    for (byte[] key : keys) {
      ValueReader here = connection.get(key, remote.on());
      parts.add(here == null ? null : new ValuePart(here, wanted.apply(here.length())));
    }
    remote.read(keys, parts, wanted, remote::reply);
  }

  private static ByteRange range(long size, long offset, long length) {
    long from = Math.min(size, offset < 0 ? Math.max(0, size + offset) : offset);
    return new ByteRange(from, from + Math.min(length, size - from));
  }

  void pin(List<byte[]> words) throws CommandException {
    String owner = Pin.DEFAULT_OWNER;
    long seconds = 0;
    for (int i = 2; i < words.size(); i += 2) {
      byte[] value = value(words, i);
      switch (Text.upper(words.get(i))) {
        case "OWNER" -> owner = checkedOwner(value);
        case "EX" -> seconds = checkedSeconds(value);
        default -> throw CommandException.syntax();
      }
    }
    String by = owner;
    Duration life = Duration.ofSeconds(seconds);
    remote.restore(List.of(words.get(1)), keys -> pin(keys.getFirst(), by, life));
  }

  private void pin(byte[] key, String owner, Duration life) throws CommandException {
    try {
      replies.integer(store.pin(key, owner, life) ? 1 : 0);
    } catch (UserError aboveBudget) {
      throw new CommandException("ERR " + String.join("; ", aboveBudget.messages()));
    }
  }

  private static @Nullable String owner(List<byte[]> words) throws CommandException {
    String owner = null;
    for (int i = 2; i < words.size(); i += 2) {
      if (!Text.upper(words.get(i)).equals("OWNER")) {
        throw CommandException.syntax();
      }
      owner = checkedOwner(value(words, i));
    }
    return owner;
  }

  private static byte[] value(List<byte[]> words, int option) throws CommandException {
    if (option + 1 == words.size()) {
      throw CommandException.syntax();
    }
    return words.get(option + 1);
  }

  private static String checkedOwner(byte[] bytes) throws CommandException {
    String owner = new String(bytes, StandardCharsets.UTF_8);
    if (owner.isBlank() || owner.length() > Pin.LONGEST_OWNER) {
      throw new CommandException(
          "ERR OWNER '%s' must be a name of 1 to %d characters, not only spaces"
              .formatted(Text.of(bytes), Pin.LONGEST_OWNER));
    }
    return owner;
  }

  private static long checkedSeconds(byte[] bytes) throws CommandException {
    long seconds = Text.integer(bytes);
    if (seconds < 1 || seconds > Pin.LONGEST_SECONDS) {
      throw new CommandException(
          "ERR EX '%d' must be 1 to %d seconds; without EX the pin stays until EBB.UNPIN"
              .formatted(seconds, Pin.LONGEST_SECONDS));
    }
    return seconds;
  }

  void explain(List<byte[]> words) {
    byte[] key = words.get(1);
    if (store.length(key) >= 0) {
      explainHere(key);
    } else if (remote.on() && !remote.hasNodes()) {
      remote.find(
          key,
          () -> {},
          found -> {
            if (found == null) {
              replies.nil();
            } else {
              replies.bulk("tier=disk bytes=" + found.bytes());
            }
          });
    } else {
      replies.nil();
    }
  }

  private void explainHere(byte[] key) {
    replies.bulk(
        store
            .explain(key)
            .map(EbbCommands::line)
            .orElseGet(() -> "policy=" + store.site().policy())
            .getBytes(StandardCharsets.UTF_8));
  }

  private static String line(Explanation said) {
    String score =
        Double.isNaN(said.score()) ? "" : String.format(Locale.ROOT, " score=%s", said.score());
    String text = said.text().isEmpty() ? "" : " " + said.text();
    return "policy=" + said.policy() + score + text;
  }
}
