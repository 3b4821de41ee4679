package dev.ebb.host.replay.fit;

import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.replay.fit.ReuseProfile.RequestClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A {@link ReuseProfile} as JSON. A histogram is a list of bins: the lowest number and the count. A
 * class of requests is a list of the lowest number of each field, and the count.
 */
public final class ProfileFile {

  private static final String FORMAT = "ebb-reuse-profile";
  private static final int VERSION = 1;
  private static final long LARGEST_FILE = 64 << 20;
  private static final long LARGEST_PROMPT = 1 << 28;
  private static final long MOST_REQUESTS = 1_000_000_000_000L;
  private static final int CLASS_FIELDS = 7;
  private static final String REMEDY = "write one with 'ebb fit TRACE --output FILE'";
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final Path file;

  private ProfileFile(Path file) {
    this.file = file;
  }

  private record Document(
      @Nullable String format,
      int version,
      long requests,
      int blockTokens,
      @Nullable List<long[]> arrivalGapMicros,
      @Nullable List<long[]> outputTokens,
      @Nullable List<long[]> promptBlocks,
      @Nullable List<long[]> sharedBlocks,
      @Nullable List<long[]> reuseDistanceBlocks,
      @Nullable List<long[]> reuseMillis,
      @Nullable List<long[]> newBlocks,
      @Nullable List<long[]> tokensWithoutBlocks,
      @Nullable List<long[]> classes) {}

  /** Returns a profile as JSON. */
  public static String write(ReuseProfile profile) {
    Document document =
        new Document(
            FORMAT,
            VERSION,
            profile.requests(),
            profile.blockTokens(),
            profile.gaps().bins(),
            profile.outputTokens().bins(),
            profile.promptBlocks().bins(),
            profile.sharedBlocks().bins(),
            profile.distances().bins(),
            profile.reuseMillis().bins(),
            profile.addedBlocks().bins(),
            profile.unsharedTokens().bins(),
            profile.classes().stream().map(ProfileFile::numbers).toList());
    // A field a line, for people who look into it before they share it.
    return MAPPER.writeValueAsString(document).replace(",\"", ",\n\"") + "\n";
  }

  /**
   * Reads a profile.
   *
   * @throws UserError if it cannot be read, or is not a profile
   */
  public static ReuseProfile read(Path file) {
    return new ProfileFile(file).read();
  }

  private ReuseProfile read() {
    Document document;
    try {
      document = MAPPER.readValue(text(), Document.class);
    } catch (JacksonException e) {
      throw wrong("it is not JSON of that form");
    }
    if (document == null || !FORMAT.equals(document.format())) {
      throw wrong("'format' is not '%s'".formatted(FORMAT));
    }
    if (document.version() != VERSION) {
      throw wrong(
          "its version is '%d', and this Ebb reads version %d"
              .formatted(document.version(), VERSION));
    }
    if (document.requests() < 1 || document.requests() > MOST_REQUESTS) {
      throw wrong("'requests' is '%d', must be at least 1".formatted(document.requests()));
    }
    if (document.blockTokens() < 1) {
      throw wrong("'blockTokens' is '%d', must be at least 1".formatted(document.blockTokens()));
    }
    List<RequestClass> classes = classes(document.classes());
    LogHistogram unshared =
        histogram("tokensWithoutBlocks", document.tokensWithoutBlocks(), Long.MAX_VALUE);
    if (unshared.total() == 0
        && classes.stream().anyMatch(each -> each.shared() == 0 && !each.isNew())) {
      throw wrong("'tokensWithoutBlocks' is empty, but 'classes' has requests without blocks");
    }
    LogHistogram gaps = histogram("arrivalGapMicros", document.arrivalGapMicros(), Long.MAX_VALUE);
    if (gaps.total() == 0) {
      throw wrong("'arrivalGapMicros' is empty");
    }
    return new ReuseProfile(
        document.requests(),
        document.blockTokens(),
        gaps,
        histogram("outputTokens", document.outputTokens(), Long.MAX_VALUE),
        histogram("promptBlocks", document.promptBlocks(), LARGEST_PROMPT),
        histogram("sharedBlocks", document.sharedBlocks(), LARGEST_PROMPT),
        histogram("reuseDistanceBlocks", document.reuseDistanceBlocks(), Long.MAX_VALUE),
        histogram("reuseMillis", document.reuseMillis(), Long.MAX_VALUE),
        histogram("newBlocks", document.newBlocks(), LARGEST_PROMPT),
        unshared,
        classes);
  }

  private byte[] text() {
    try {
      if (Files.size(file) > LARGEST_FILE) {
        throw wrong("it is larger than %d MiB".formatted(LARGEST_FILE >> 20));
      }
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new UserError("profile '%s' does not exist; %s".formatted(file, REMEDY));
    } catch (IOException e) {
      throw new UserError(
          "profile '%s' cannot be read: %s; check the path".formatted(file, Reasons.of(e)));
    }
  }

  private LogHistogram histogram(String name, @Nullable List<long[]> bins, long most) {
    LogHistogram histogram = new LogHistogram();
    if (bins == null) {
      throw wrong("'%s' is missing".formatted(name));
    }
    for (long[] bin : bins) {
      if (bin == null
          || bin.length != 2
          || bin[0] < 0
          || bin[0] > most
          || bin[1] < 1
          || bin[1] > MOST_REQUESTS) {
        throw wrong(
            "'%s' has '%s', must be the lowest number of a bin and its count"
                .formatted(name, Arrays.toString(bin)));
      }
      histogram.add(bin[0], bin[1]);
    }
    return histogram;
  }

  private List<RequestClass> classes(@Nullable List<long[]> rows) {
    if (rows == null) {
      throw wrong("'classes' is missing");
    }
    List<RequestClass> classes = new ArrayList<>();
    for (long[] row : rows) {
      if (row == null || !isClass(row)) {
        throw wrong(
            "'classes' has '%s', must be shared blocks, reuse distance, reused blocks, uses, blocks left, new blocks and count"
                .formatted(Arrays.toString(row)));
      }
      int[] steps =
          Arrays.stream(row).limit(CLASS_FIELDS - 1).mapToInt(LogHistogram::step).toArray();
      classes.add(
          new RequestClass(
              steps[0], steps[1], steps[2], steps[3], steps[4], steps[5], row[CLASS_FIELDS - 1]));
    }
    if (classes.stream().noneMatch(RequestClass::isNew)) {
      throw wrong("'classes' has none with new blocks only, and the first request shares none");
    }
    return classes;
  }

  /** A request that shares blocks has a distance. */
  private static boolean isClass(long[] row) {
    return row.length == CLASS_FIELDS
        && Arrays.stream(row).allMatch(number -> number >= 0 && number <= MOST_REQUESTS)
        && row[CLASS_FIELDS - 1] > 0
        && row[0] <= LARGEST_PROMPT
        && row[5] <= LARGEST_PROMPT
        && (row[0] > 0) == (row[1] > 0);
  }

  private UserError wrong(String reason) {
    return new UserError(
        "profile '%s' is not a profile of 'ebb fit': %s; %s".formatted(file, reason, REMEDY));
  }

  private static long[] numbers(RequestClass each) {
    return new long[] {
      LogHistogram.lowest(each.shared()),
      LogHistogram.lowest(each.distance()),
      LogHistogram.lowest(each.reused()),
      LogHistogram.lowest(each.uses()),
      LogHistogram.lowest(each.left()),
      LogHistogram.lowest(each.added()),
      each.count()
    };
  }
}
