package dev.ebb.host.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigValue;
import dev.ebb.host.config.TokensConfig.LayerChoice;
import dev.ebb.host.config.TokensConfig.PressureChoice;
import dev.ebb.host.units.ByteSize;
import dev.ebb.spi.SettingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code ebb.tokens}. */
final class TokensReader {

  private static final Pattern LAYERS = Pattern.compile("(\\d{1,6})(?:-(\\d{1,6}))? +(\\S+)");
  private static final Pattern PRESSURE = Pattern.compile("(\\S+ ?\\S*) +(\\S+)");

  private final ConfigReader reader;
  private final Config all;
  private final List<String> problems;

  TokensReader(ConfigReader reader, Config all, List<String> problems) {
    this.reader = reader;
    this.all = all;
    this.problems = problems;
  }

  TokensConfig read() {
    List<PressureChoice> pressure = list("ebb.tokens.pressure", TokensReader::pressure);
    pressure.sort(Comparator.comparingLong(PressureChoice::below));
    return new TokensConfig(
        reader.choice("ebb.tokens.policy"),
        reader.strategies("ebb.tokens.policies"),
        list("ebb.tokens.layers", TokensReader::layers),
        pressure,
        reader.read("ebb.tokens.hysteresis", Setting::share),
        reader.choice("ebb.tokens.budget"),
        reader.read("ebb.tokens.trigger", setting -> setting.choice(TokensTrigger.class)),
        reader.read(
            "ebb.tokens.on-missing-signal", setting -> setting.choice(OnMissingSignal.class)),
        (int) (long) reader.read("ebb.tokens.window", setting -> setting.integer(0, 1 << 30)),
        reader.read("ebb.tokens.keep-ratio", setting -> setting.number(0, 1)),
        reader.read("ebb.tokens.target-ratio", setting -> setting.number(0, 1)),
        reader.read("ebb.tokens.memory-threshold", Setting::bytes));
  }

  private <T> List<T> list(String path, Function<Setting, T> reading) {
    List<T> read = new ArrayList<>();
    ConfigValue value = all.getValue(path);
    if (value instanceof ConfigList values) {
      for (ConfigValue each : values) {
        try {
          read.add(reading.apply(new Setting(path, each)));
        } catch (SettingException wrong) {
          problems.add(String.valueOf(wrong.getMessage()));
        }
      }
    } else {
      problems.add(new Setting(path, value).problem("must be a list, such as []"));
    }
    return read;
  }

  private static LayerChoice layers(Setting setting) {
    Matcher parts = LAYERS.matcher(setting.string());
    if (parts.matches()) {
      int first = Integer.parseInt(parts.group(1));
      int last = parts.group(2) == null ? first : Integer.parseInt(parts.group(2));
      if (first <= last) {
        return new LayerChoice(first, last, choice(setting, parts.group(3)));
      }
    }
    throw setting.wrong("must be layers and a token policy, such as \"0-3 sliding-window\"");
  }

  private static PressureChoice pressure(Setting setting) {
    Matcher parts = PRESSURE.matcher(setting.string());
    if (parts.matches()) {
      OptionalLong below = ByteSize.parse(parts.group(1));
      if (below.isPresent()) {
        return new PressureChoice(below.getAsLong(), choice(setting, parts.group(2)));
      }
    }
    throw setting.wrong(
        "must be a size of available memory and a token policy, such as \"1 GiB sliding-window\"");
  }

  private static Choice choice(Setting setting, String name) {
    return new Choice(name, Origins.where(setting.value().origin()));
  }
}
