package dev.ebb.host.config.key;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.config.hocon.Origins;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.text.HttpUrl;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.TimeSpan;
import dev.ebb.spi.SettingException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One configured value, read strictly: a text is not a number, and a number without a unit is not a
 * duration. Every mistake becomes a {@link SettingException} with file, line, key and value.
 */
public record Setting(String path, ConfigValue value) {

  private static final Pattern ENDPOINT = Pattern.compile("tcp://[^\\s/]+:(\\d{1,5}|\\*)");

  /** Each element costs time when a request changes the list. */
  private static final int MOST_ELEMENTS = 256;

  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

  /** Returns a value of this section; null if it has none. */
  public @Nullable Setting inner(String key) {
    ConfigValue inner = ((ConfigObject) value).get(key);
    return inner == null ? null : inner(key, inner);
  }

  Setting inner(String key, ConfigValue inner) {
    return new Setting(path + "." + ConfigUtil.joinPath(key), inner);
  }

  public String string() {
    return switch (value.valueType()) {
      case STRING, NUMBER, BOOLEAN -> String.valueOf(value.unwrapped());
      default -> throw wrong("must be a text");
    };
  }

  /** Returns a text, or the texts of a list with commas between them. */
  String joined() {
    return value instanceof ConfigList list
        ? list.stream().map(this::element).collect(Collectors.joining(", "))
        : string();
  }

  private String element(ConfigValue each) {
    return switch (each.valueType()) {
      case STRING, NUMBER, BOOLEAN -> String.valueOf(each.unwrapped());
      default -> throw wrong("must be a list of texts, such as [lru, sieve], or one text");
    };
  }

  public long integer(long min, long max) {
    BigDecimal number = decimal();
    if (number != null
        && number.stripTrailingZeros().scale() <= 0
        && number.compareTo(BigDecimal.valueOf(min)) >= 0
        && number.compareTo(BigDecimal.valueOf(max)) <= 0) {
      return number.longValueExact();
    }
    String least = min == Long.MIN_VALUE ? "" : String.valueOf(min);
    String most = max == Long.MAX_VALUE ? "" : String.valueOf(max);
    throw wrong("must be a whole number" + range(least, most) + quotes());
  }

  int sign() {
    long sign = integer(-1, 1);
    if (sign == 0) {
      throw wrong("must be 1 or -1" + quotes());
    }
    return (int) sign;
  }

  double number(double min, double max) {
    BigDecimal decimal = decimal();
    double number = decimal == null ? Double.NaN : decimal.doubleValue();
    if (number >= min && number <= max) {
      return number;
    }
    throw wrong("must be a number" + range(plain(min), plain(max)) + quotes());
  }

  boolean flag() {
    if (value.valueType() == ConfigValueType.BOOLEAN) {
      return (Boolean) value.unwrapped();
    }
    if (fromEnvironment() && List.of("true", "false").contains(string())) {
      return Boolean.parseBoolean(string());
    }
    throw wrong("must be true or false");
  }

  Duration duration(Duration min, Duration max) {
    Duration duration = duration();
    if (duration.compareTo(min) >= 0 && duration.compareTo(max) <= 0) {
      return duration;
    }
    throw wrong(
        "must be a duration" + range(min.isZero() ? "" : text(min), isAny(max) ? "" : text(max)));
  }

  private static boolean isAny(Duration max) {
    return max.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0;
  }

  public static String text(Duration duration) {
    return TimeSpan.format(duration.toNanos() / 1e9);
  }

  public Duration duration() {
    String what = "must be a duration with its unit, such as 10 s; units: ns, us, ms, s, min, h, d";
    // The library reads a bare number as milliseconds.
    if (value.valueType() != ConfigValueType.STRING
        || !String.valueOf(value.unwrapped()).matches("(?s).*[a-zA-Zµ]\\s*")) {
      throw wrong(what);
    }
    // Ebb writes "min", which the library does not read.
    Optional<Duration> asWritten = TimeSpan.parse(string());
    if (asWritten.isPresent()) {
      return asWritten.get();
    }
    Duration duration;
    try {
      duration = value.atKey("value").getDuration("value");
    } catch (ConfigException notADuration) {
      throw wrong(what);
    }
    if (duration.isNegative()) {
      throw wrong("must not be negative");
    }
    return duration;
  }

  /** Returns a duration above zero. */
  public Duration interval() {
    Duration duration = duration();
    if (duration.isZero()) {
      throw wrong("must be longer than 0");
    }
    return duration;
  }

  PoolSize poolSize() {
    return sizeOrShare("the available memory", "60 %");
  }

  public PoolSize quota() {
    return sizeOrShare("the pool", "25 %");
  }

  private PoolSize sizeOrShare(String of, String example) {
    return PoolSize.parse(string())
        .orElseThrow(() ->
            wrong(
                "must be a size with its unit, such as 8 GiB, or a share of %s above 0 %% and up to 100 %%, such as \"%s\""
                    .formatted(of, example)));
  }

  /** Returns a share, 0 to 1. */
  public double share() {
    String stripped = string().strip();
    if (stripped.equals("0 %") || stripped.equals("0%")) {
      return 0;
    }
    return PoolSize.parse(stripped)
        .filter(size -> size.bytes() == 0)
        .map(size -> size.percent() / 100)
        .orElseThrow(() -> wrong("must be a share from 0 % to 100 %, such as \"20 %\""));
  }

  /** Returns a sampling rate above 0; 0 for auto. */
  double rate() {
    BigDecimal decimal = decimal();
    double number = decimal == null ? Double.NaN : decimal.doubleValue();
    if (value.unwrapped().equals("auto")) {
      return 0;
    }
    if (number > 0 && number <= 1) {
      return number;
    }
    throw wrong("must be auto, or a number above 0 and up to 1" + quotes());
  }

  /** Returns policies from a list, or from a text with commas between them. */
  List<ShadowSpec> policies(int most) {
    try {
      if (value instanceof ConfigList list) {
        checkNumber(list.size(), most);
        return list.stream()
            .map(each -> ShadowSpec.parse(new Setting(path, each).string(), ""))
            .toList();
      }
      List<ShadowSpec> policies =
          string().isBlank() ? List.of() : ShadowSpec.parseList(string(), "");
      checkNumber(policies.size(), most);
      return policies;
    } catch (UserError unreadable) {
      throw wrong(
          "must be a list of policies, such as [sieve, \"lfu(ageing=dynamic)\"]: "
              + unreadable.getMessage());
    }
  }

  public long bytes() {
    OptionalLong bytes = ByteSize.parse(string());
    if (bytes.isEmpty() || bytes.getAsLong() == 0) {
      throw wrong("must be a size with its unit, such as 16 MiB");
    }
    return bytes.getAsLong();
  }

  public long bytes(long min, long max) {
    OptionalLong bytes = ByteSize.parse(string());
    if (bytes.isPresent() && bytes.getAsLong() >= min && bytes.getAsLong() <= max) {
      return bytes.getAsLong();
    }
    String range =
        range(
            min <= 0 ? "" : ByteSize.exact(min), max == Long.MAX_VALUE ? "" : ByteSize.exact(max));
    throw wrong("must be a size with its unit" + (range.isEmpty() ? ", such as 16 MiB" : range));
  }

  /** Returns a list of SHA-256 in lower case. */
  List<String> hashes() {
    if (!(value.unwrapped() instanceof List<?> given)) {
      throw wrong("must be a list of SHA-256, such as [\"334e62...\"]");
    }
    List<String> hashes = given.stream().map(each -> lower(String.valueOf(each))).toList();
    for (String hash : hashes) {
      if (!HASH.matcher(hash).matches()) {
        throw wrong(
            "has '%s', but must contain SHA-256 of 64 hexadecimal digits; 'ebb plugins list --json' shows them"
                .formatted(hash));
      }
    }
    return hashes;
  }

  private void checkNumber(int given, int most) {
    if (given > most) {
      throw new SettingException(
          "%s%s has '%d' elements, but at most %d are allowed; remove some"
              .formatted(Origins.prefix(value.origin()), path, given, most));
    }
  }

  public List<Setting> list(String wanted) {
    if (value instanceof ConfigList list) {
      checkNumber(list.size(), MOST_ELEMENTS);
      return IntStream.range(0, list.size())
          .mapToObj(i -> new Setting("%s[%d]".formatted(path, i + 1), list.get(i)))
          .toList();
    }
    throw wrong("must be a list of " + wanted);
  }

  /** Returns a path. A relative one starts at the folder of the file that sets it, if any. */
  Path file() {
    try {
      Path given = Path.of(string());
      String file = value.origin().filename();
      return file == null ? given : Path.of(file).toAbsolutePath().resolveSibling(given);
    } catch (InvalidPathException invalid) {
      throw wrong("must be a path: " + invalid.getReason());
    }
  }

  /** Returns a path, or those of a list, each of them once. */
  List<Path> files() {
    if (!(value instanceof ConfigList)) {
      return string().isEmpty() ? List.of() : List.of(file());
    }
    List<Path> files =
        list("paths, such as [\"/nvme0/ebb\", \"/nvme1/ebb\"]").stream()
            .map(Setting::file)
            .toList();
    if (files.stream().map(Path::normalize).distinct().count() < files.size()) {
      throw wrong("must contain each path once");
    }
    return files;
  }

  /** Returns a ZeroMQ address over TCP. */
  String endpoint() {
    String given = string();
    Matcher address = ENDPOINT.matcher(given);
    if (!address.matches() || !isPort(address.group(1))) {
      throw wrong(
          "must be an address such as tcp://127.0.0.1:5557 or tcp://*:5557, with a port up to "
              + HostPort.MAX_PORT);
    }
    return given;
  }

  private static boolean isPort(String port) {
    return port.equals("*") || Integer.parseInt(port) <= HostPort.MAX_PORT;
  }

  URI url() {
    return HttpUrl.parse(string())
        .orElseThrow(() ->
            wrong("must be a URL with http or https and a host, such as http://127.0.0.1:4318"));
  }

  /** Returns a rule for what is written to a disk. */
  public AdmissionRule admission() {
    return AdmissionRule.find(string(), AdmissionRule.Unit.BYTES)
        .orElseThrow(() -> wrong("must be " + AdmissionRule.Unit.BYTES.allowed()));
  }

  List<HostPort> addresses() {
    return list("addresses, such as [\"10.0.0.1:7480\"]").stream().map(Setting::address).toList();
  }

  HostPort address() {
    return HostPort.parse(string())
        .orElseThrow(() -> wrong("must be a host and a port, such as \"10.0.0.1:7480\""));
  }

  /** Returns words for keys, and patterns of keys. */
  List<String> chains() {
    if (!(value instanceof ConfigList)) {
      return List.of(chain());
    }
    List<String> chains =
        list("patterns, such as [auto, \"mykeys:*\"]").stream().map(Setting::chain).toList();
    if (chains.isEmpty() || (chains.size() > 1 && chains.contains("off"))) {
      throw wrong("must contain auto or patterns of keys; write off alone, for no keys");
    }
    return chains;
  }

  private String chain() {
    String given = string();
    List<String> words = List.of("auto", "off");
    boolean pattern = given.chars().anyMatch(each -> each == '*' || each == '?' || each == '[');
    if (!pattern && !words.contains(given)) {
      throw wrong(
          "must be auto, off, or a pattern of keys with * such as \"mykeys:*\""
              + Suggestions.hint(given, words));
    }
    return given;
  }

  private static String lower(String text) {
    return text.strip().toLowerCase(Locale.ROOT);
  }

  public <E extends Enum<E>> E choice(Class<E> type) {
    List<String> names = Arrays.stream(type.getEnumConstants()).map(Setting::name).toList();
    String given = value instanceof ConfigList ? "" : string();
    int index = names.indexOf(given);
    if (index < 0) {
      throw wrong("must be one of " + names + Suggestions.hint(given, names));
    }
    return type.getEnumConstants()[index];
  }

  /** Returns a strategy that this value names. */
  public Choice choice(String name) {
    return new Choice(name, where());
  }

  public String where() {
    return Origins.where(value.origin());
  }

  public SettingException wrong(String what) {
    return new SettingException(problem(what));
  }

  public String problem(String what) {
    String shown = Secrets.isWithin(path) ? Secrets.HIDDEN : "= '" + text(value) + "'";
    return "%s%s %s %s".formatted(Origins.prefix(value.origin()), path, shown, what);
  }

  /**
   * Returns the message for an unknown key, without its value: the key may be a mistyped secret.
   */
  public String unknown(String rest) {
    return "%sunknown key '%s'%s".formatted(Origins.prefix(value.origin()), path, rest);
  }

  /** Formats a value as the user would write it, on one line. */
  public static String text(ConfigValue value) {
    return switch (value.valueType()) {
      case STRING -> String.valueOf(value.unwrapped());
      case OBJECT -> "{...}";
      default -> value.render(ConfigRenderOptions.concise());
    };
  }

  public static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private @Nullable BigDecimal decimal() {
    boolean number = value.valueType() == ConfigValueType.NUMBER || fromEnvironment();
    return number ? parsed() : null;
  }

  private @Nullable BigDecimal parsed() {
    try {
      return new BigDecimal(String.valueOf(value.unwrapped()));
    } catch (NumberFormatException notANumber) {
      return null;
    }
  }

  private String quotes() {
    boolean quoted = value.valueType() == ConfigValueType.STRING && parsed() != null;
    return quoted && !fromEnvironment() ? ", written without quotes" : "";
  }

  private boolean fromEnvironment() {
    return value.valueType() == ConfigValueType.STRING
        && value.origin().description().startsWith("env variables");
  }

  private static String range(String least, String most) {
    if (!least.isEmpty() && !most.isEmpty()) {
      return " from " + least + " to " + most;
    }
    if (!least.isEmpty()) {
      return ", at least " + least;
    }
    return most.isEmpty() ? "" : ", at most " + most;
  }

  private static String plain(double bound) {
    return Math.abs(bound) >= Double.MAX_VALUE
        ? ""
        : BigDecimal.valueOf(bound).stripTrailingZeros().toPlainString();
  }
}
