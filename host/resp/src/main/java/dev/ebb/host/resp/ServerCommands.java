package dev.ebb.host.resp;

import static dev.ebb.host.config.server.UserRight.ADMIN;
import static java.util.Objects.requireNonNull;

import dev.ebb.host.errors.ForeignNames;
import dev.ebb.host.resp.session.CommandException;
import dev.ebb.host.resp.session.Replies;
import dev.ebb.host.resp.session.Session;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.key.Glob;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Commands about the server and its clients. */
final class ServerCommands extends SessionCommands {

  static final List<Subcommand> ACL =
      List.of(
          new Subcommand(
              "LIST",
              2,
              ADMIN,
              (on, words, value) -> on.replies.value(on.connections.users.lines())),
          new Subcommand(
              "USERS",
              2,
              ADMIN,
              (on, words, value) -> on.replies.value(on.connections.users.names())),
          new Subcommand(
              "WHOAMI",
              2,
              null,
              (on, words, value) -> on.replies.bulk(requireNonNull(on.session.user).name)));

  static final List<Subcommand> CLIENT =
      List.of(
          new Subcommand("GETNAME", 2, null, (on, words, value) -> on.server.clientName()),
          new Subcommand("ID", 2, null, (on, words, value) -> on.replies.integer(on.session.id)),
          new Subcommand("LIST", -2, ADMIN, (on, words, value) -> on.server.clients(words)),
          new Subcommand("MAINT_NOTIFICATIONS", -2, null, (on, words, value) -> on.replies.ok()),
          new Subcommand(
              "SETINFO",
              4,
              null,
              (on, words, value) -> on.server.setInfo(words.get(2), words.get(3))),
          new Subcommand(
              "SETNAME",
              3,
              null,
              (on, words, value) -> {
                on.session.name = checkedName(words.get(2));
                on.replies.ok();
              }));

  static final List<Subcommand> CONFIG =
      List.of(
          new Subcommand("GET", -3, ADMIN, (on, words, value) -> on.server.parameters(words)),
          new Subcommand(
              "SET",
              -2,
              ADMIN,
              (on, words, value) -> {
                throw notSettable(words);
              }));

  private static final List<Map<String, Object>> MODULES =
      List.of(
          Replies.fields(
              "name",
              EbbCommands.MODULE,
              "ver",
              EbbCommands.VERSION,
              "path",
              "",
              "args",
              List.of()));

  static final List<Subcommand> MODULE =
      List.of(new Subcommand("LIST", 2, null, (on, words, value) -> on.replies.value(MODULES)));

  static final String REDIS_VERSION = "7.0.15";

  /** The server keeps a name as long as its connection. */
  private static final int MAX_NAME = 256;

  /** The types of clients that Redis knows; all clients here are of the first. */
  private static final List<String> CLIENT_TYPES =
      List.of("normal", "master", "replica", "slave", "pubsub");

  ServerCommands(Commands on) {
    super(on);
  }

  void size() {
    replies.integer(store.stats().keys());
  }

  void info(List<byte[]> words) {
    replies.text(InfoText.of(connections, words.subList(1, words.size())));
  }

  void ping(List<byte[]> words) throws CommandException {
    if (words.size() > 2) {
      throw CommandException.arity("ping");
    }
    if (words.size() == 2) {
      replies.bulk(words.get(1));
    } else {
      replies.simple("PONG");
    }
  }

  void select(List<byte[]> words) throws CommandException {
    long index = Text.integer(words.get(1));
    if (index != (int) index) {
      throw new CommandException(
          "ERR value is out of range, value must between %d and %d"
              .formatted(Integer.MIN_VALUE, Integer.MAX_VALUE));
    }
    if (index != 0) {
      throw new CommandException("ERR DB index is out of range");
    }
    replies.ok();
  }

  void greet() {
    replies.value(
        Replies.fields(
            "server",
            "redis",
            "version",
            REDIS_VERSION,
            "proto",
            session.protocol,
            "id",
            session.id,
            "mode",
            "standalone",
            "role",
            "master",
            "modules",
            MODULES));
  }

  static String checkedName(byte[] name) throws CommandException {
    return checked(name, "Client names");
  }

  private static String checked(byte[] text, String what) throws CommandException {
    if (text.length > MAX_NAME) {
      throw new CommandException("ERR " + what + " cannot be longer than " + MAX_NAME + " bytes.");
    }
    for (byte c : text) {
      if (c < '!' || c > '~') {
        throw new CommandException(
            "ERR " + what + " cannot contain spaces, newlines or special characters.");
      }
    }
    return Text.of(text);
  }

  private void clientName() {
    if (session.name.isEmpty()) {
      replies.nil();
    } else {
      replies.bulk(session.name);
    }
  }

  private void clients(List<byte[]> words) throws CommandException {
    Predicate<Session> wanted = listed(words);
    StringBuilder lines = new StringBuilder();
    connections.sessions().stream()
        .filter(wanted)
        .forEach(each -> lines.append(each.line()).append('\n'));
    replies.text(lines.toString());
  }

  /** Returns the clients that TYPE or ID of CLIENT LIST selects; all are of one type. */
  private static Predicate<Session> listed(List<byte[]> words) throws CommandException {
    String filter = words.size() < 4 ? "" : Text.upper(words.get(2));
    if (filter.equals("TYPE") && words.size() == 4) {
      String type = Text.shown(words.get(3));
      if (!CLIENT_TYPES.contains(type.toLowerCase(Locale.ROOT))) {
        throw new CommandException("ERR Unknown client type '" + type + "'");
      }
      return each -> type.equalsIgnoreCase(CLIENT_TYPES.getFirst());
    }
    if (filter.equals("ID")) {
      Set<Long> ids = new HashSet<>();
      for (byte[] id : words.subList(3, words.size())) {
        ids.add(Text.integer(id, "ERR Invalid client ID"));
      }
      return each -> ids.contains(each.id);
    }
    if (words.size() > 2) {
      throw CommandException.syntax();
    }
    return each -> true;
  }

  private void setInfo(byte[] attribute, byte[] value) throws CommandException {
    switch (Text.of(attribute).toLowerCase(Locale.ROOT)) {
      case "lib-name" -> session.library = checked(value, "lib-name");
      case "lib-ver" -> session.libraryVersion = checked(value, "lib-ver");
      default ->
          throw new CommandException("ERR Unrecognized option '" + Text.shown(attribute) + "'");
    }
    replies.ok();
  }

  private void parameters(List<byte[]> words) throws CommandException {
    List<Glob> patterns = new ArrayList<>();
    for (byte[] each : words.subList(2, words.size())) {
      patterns.add(Text.pattern(each, true));
    }
    Map<String, Object> parameters = parameters();
    parameters
        .keySet()
        .removeIf(name -> patterns.stream().noneMatch(each -> each.matches(Text.bytes(name))));
    replies.value(parameters);
  }

  private static CommandException notSettable(List<byte[]> words) {
    String parameter = words.size() < 3 ? "" : Text.shown(words.get(2), Subcommand.SHOWN);
    return new CommandException(
        "ERR CONFIG SET '%s' is not supported%s; 'ebb config set KEY=VALUE' changes the configuration"
            .formatted(parameter, ForeignNames.KEY.hint(parameter)));
  }

  private Map<String, Object> parameters() {
    RespOptions options = connections.options;
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("appendonly", "no");
    parameters.put("databases", "1");
    parameters.put("maxmemory", Long.toString(store.stats().capacityBytes()));
    parameters.put("maxclients", Integer.toString(options.clients().connections()));
    parameters.put("maxmemory-policy", store.site().policy());
    parameters.put("maxmemory-clients", Long.toString(options.clients().memoryBytes()));
    parameters.put("port", Integer.toString(options.address().getPort()));
    parameters.put("proto-max-bulk-len", Long.toString(options.maxValueBytes()));
    parameters.put("save", "");
    parameters.put("timeout", Long.toString(options.clients().idleTimeout().toSeconds()));
    return parameters;
  }

  void flush(List<byte[]> words) throws CommandException {
    boolean known =
        words.size() == 1
            || (words.size() == 2 && List.of("ASYNC", "SYNC").contains(Text.upper(words.get(1))));
    if (!known) {
      throw CommandException.syntax();
    }
    remote.await(connections.sequences.clear(), _ -> clearValues());
  }

  private void clearValues() {
    connections.remote.clearing();
    store.clear();
    if (remote.on()) {
      remote.clear(replies::ok);
    } else {
      replies.ok();
    }
  }
}
