package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.store.chain.ChunkContext;
import dev.ebb.host.store.key.Model;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What nodes of a cluster tell each other about the chunks that they copy. */
class ReceivedChunksTest {

  private static final ObjectGroups GROUPS = ObjectGroups.parse("test", "state,full");
  private static final int[] BYTES = {3_000, 1_000};

  private final TestClock clock = new TestClock();
  private final HostDevice device = new HostDevice();
  private final List<ObjectStore> stores = new ArrayList<>();

  private ObjectStore open(int units, Map<String, ObjectGroups> models) {
    StoreOptions options =
        StoreOptions.of((long) units << 10, Duration.ZERO, stores.size()).models(models);
    ObjectStore store = new ObjectStore(device, options, clock);
    stores.add(store);
    return store;
  }

  private ObjectStore sender() {
    return open(4_096, Map.of("m", GROUPS));
  }

  @AfterEach
  void close() {
    stores.forEach(Stores::close);
    device.close();
  }

  private static String key(int chunk, int group) {
    return "m@01000100@%x@%08x".formatted(group, chunk);
  }

  private static List<Integer> prompt(int first, int chunks) {
    return IntStream.range(first, first + chunks).boxed().toList();
  }

  private static void serve(ObjectStore store, List<Integer> prompt) {
    List<byte[]> keys = prompt.stream().map(chunk -> StoreClient.bytes(key(chunk, 1))).toList();
    try (StoreConnection by = store.connect("engine")) {
      int found = by.begin("r", RequestFacts.UNKNOWN, -1, keys);
      for (int chunk : prompt.subList(found, prompt.size())) {
        for (int group = 0; group < BYTES.length; group++) {
          set(by.write(StoreClient.bytes(key(chunk, group)), BYTES[group]), BYTES[group]);
        }
      }
      by.end("r", 1, facts -> facts);
    }
  }

  private static void set(ValueWriter writer, int bytes) {
    try (writer) {
      writer.write(ByteBuffer.wrap(new byte[bytes]));
      writer.commit(SetOptions.PLAIN);
    }
  }

  private static void send(ObjectStore from, ObjectStore to, byte[] key) {
    set(to.write(key, from.length(key)), (int) from.length(key));
    to.inform(key, ChunkContext.decode(from.context(key).encode()));
  }

  private static List<String> text(List<byte[]> keys) {
    return keys.stream().map(key -> new String(key, StandardCharsets.UTF_8)).toList();
  }

  private static int usable(ObjectStore store, List<Integer> prompt) {
    long[] present = new long[prompt.size()];
    for (int i = 0; i < present.length; i++) {
      for (int group = 0; group < BYTES.length; group++) {
        boolean has = store.length(StoreClient.bytes(key(prompt.get(i), group))) >= 0;
        present[i] |= has ? 1L << group : 0;
      }
    }
    return GROUPS.usable(present, present.length);
  }

  @Test
  void contextsNameTheChunksBefore() {
    ObjectStore store = sender();
    serve(store, prompt(0, 12));
    ChunkContext context = store.context(StoreClient.bytes(key(10, 0)));
    assertThat(context.groups()).isEqualTo(GROUPS);
    assertThat(text(context.before()))
        .containsExactlyElementsOf(IntStream.range(0, 8).mapToObj(i -> key(9 - i, 0)).toList());
    assertThat(text(ChunkContext.decode(context.encode()).before()))
        .isEqualTo(text(context.before()));
    assertThat(store.context(StoreClient.bytes(key(0, 1))).before()).isEmpty();
    assertThat(store.context(StoreClient.bytes("plain")).encode()).isEmpty();
    assertThat(ChunkContext.decode(new byte[] {0, 9, 1})).isEqualTo(ChunkContext.NONE);
  }

  /** A draining node hands the start of a prompt over first. */
  @Test
  void chunksRemainKnownWhenTheyHaveLeft() {
    ObjectStore store = sender();
    serve(store, prompt(0, 6));
    for (int chunk = 0; chunk < 3; chunk++) {
      for (int group = 0; group < BYTES.length; group++) {
        store.deleteUpTo(StoreClient.bytes(key(chunk, group)), Long.MAX_VALUE);
      }
    }
    assertThat(store.context(StoreClient.bytes(key(4, 1))).before()).hasSize(4);
    Stores.assertSound(store);
  }

  @Test
  void aFullReceiverKeepsUsablePrefixes() {
    ObjectStore from = sender();
    ObjectStore to = open(1_024, Map.of());
    List<List<Integer>> prompts = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      List<Integer> prompt = new ArrayList<>(prompt(0, 4));
      prompt.addAll(prompt(100 * i + 100, 16));
      prompts.add(prompt);
      serve(from, prompt);
      for (int chunk : i == 0 ? prompt : prompt.subList(4, prompt.size())) {
        for (int group = 0; group < BYTES.length; group++) {
          send(from, to, StoreClient.bytes(key(chunk, group)));
        }
        Stores.assertSound(to);
      }
    }
    // 16 KiB of attention and 3 KiB for the state at the end of each of the last prompts.
    for (List<Integer> prompt : prompts.subList(25, 50)) {
      assertThat(usable(to, prompt)).isEqualTo(20);
    }
    assertThat(to.knownModels().all().get("m").source()).isEqualTo(Model.Source.PEER);
  }

  @Test
  void whatIsCopiedAgainEvictsNothing() {
    ObjectStore store = open(256, Map.of());
    int stored = 0;
    boolean room = true;
    while (room) {
      byte[] key = StoreClient.bytes("key-" + stored);
      try (ValueWriter writer = store.write(key, 5_000)) {
        room = writer.allocateFree();
        if (room) {
          writer.write(0, ByteBuffer.wrap(new byte[5_000]));
          writer.filled();
          writer.commit(SetOptions.PLAIN);
          stored++;
        }
      }
    }
    assertThat(stored).isBetween(30, 51);
    assertThat(store.stats().keys()).isEqualTo(stored);
    assertThat(store.stats().evicted()).isZero();
    Stores.assertSound(store);
  }

  /** Values arrive over several connections. */
  @Test
  void theOrderOfArrivalDoesNotMatter() {
    ObjectStore from = sender();
    ObjectStore to = open(4_096, Map.of());
    serve(from, prompt(0, 12));
    for (int chunk : List.of(0, 2, 1, 5, 4, 3, 11, 10, 9, 8, 7, 6)) {
      for (int group = 0; group < BYTES.length; group++) {
        send(from, to, StoreClient.bytes(key(chunk, group)));
      }
    }
    assertThat(to.stats().chains().linked()).isEqualTo(11);
    assertThat(text(to.context(StoreClient.bytes(key(8, 0))).before()))
        .isEqualTo(text(from.context(StoreClient.bytes(key(8, 0))).before()));
    Stores.assertSound(to);
  }

  @Test
  void keysByUseArePromptsFromTheFront() {
    ObjectStore store = sender();
    serve(store, prompt(0, 3));
    serve(store, prompt(10, 3));
    serve(store, prompt(0, 3));
    List<String> keys = text(store.mainKeysByUse());
    assertThat(keys)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.of(0, 1, 2, 10, 11, 12)
                .boxed()
                .flatMap(chunk -> List.of(key(chunk, 0), key(chunk, 1)).stream())
                .toList());
    assertThat(keys.stream().filter(key -> key.contains("@1@")).toList())
        .containsExactly(key(0, 1), key(1, 1), key(2, 1), key(10, 1), key(11, 1), key(12, 1));
    assertThat(keys.subList(10, 12))
        .as("states that no prompt has needed")
        .containsExactly(key(0, 0), key(10, 0));
  }

  @Test
  void whatThisNodeKnowsComesBeforeWhatOthersSay() {
    ObjectStore to = open(4_096, Map.of("m", ObjectGroups.parse("test", "full,full")));
    ObjectStore from = sender();
    serve(from, prompt(0, 3));
    send(from, to, StoreClient.bytes(key(1, 1)));
    assertThat(to.knownModels().all().get("m").groups().areFull()).isTrue();
  }
}
