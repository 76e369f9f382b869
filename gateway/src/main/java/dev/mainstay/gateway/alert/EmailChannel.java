package dev.mainstay.gateway.alert;

import dev.mainstay.config.Alerts;
import dev.mainstay.config.MailAddress;
import dev.mainstay.http.HttpPost;
import dev.mainstay.ledger.state.AlertLog.Alert;
import jakarta.mail.Address;
import jakarta.mail.Authenticator;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.PasswordAuthentication;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends alerts as mail. {@code smtps} is TLS from the start; {@code smtp} changes to TLS where the
 * server offers it, and must where there is a password to send to another machine.
 */
final class EmailChannel implements AlertChannel {
  private static final Logger LOG = LoggerFactory.getLogger(EmailChannel.class);

  private final Alerts.Email email;
  private final Session session;

  EmailChannel(Alerts.Email email) {
    this.email = email;
    session = session(email);
  }

  private static Session session(Alerts.Email email) {
    var smtp = email.smtp();
    boolean tls = "smtps".equalsIgnoreCase(smtp.getScheme());
    var user = smtp.getRawUserInfo();
    var millis = Long.toString(HttpPost.PATIENCE.toMillis());
    var properties = new Properties();
    properties.put("mail.transport.protocol", "smtp");
    // Of the Message-ID.
    properties.put("mail.from", email.from().address());
    // One wrong address must not keep an alert from the others.
    properties.put("mail.smtp.sendpartial", "true");
    properties.put("mail.smtp.host", smtp.getHost());
    properties.put(
        "mail.smtp.port", Integer.toString(smtp.getPort() > 0 ? smtp.getPort() : tls ? 465 : 587));
    properties.put("mail.smtp.connectiontimeout", millis);
    properties.put("mail.smtp.timeout", millis);
    properties.put("mail.smtp.writetimeout", millis);
    properties.put("mail.smtp.ssl.enable", Boolean.toString(tls));
    properties.put("mail.smtp.ssl.checkserveridentity", "true");
    properties.put("mail.smtp.starttls.enable", "true");
    properties.put(
        "mail.smtp.starttls.required",
        Boolean.toString(!tls && user != null && !isLoopback(smtp.getHost())));
    properties.put("mail.smtp.auth", Boolean.toString(user != null));
    return Session.getInstance(properties, user == null ? null : login(user));
  }

  private static Authenticator login(String user) {
    int colon = user.indexOf(':');
    var name = decoded(colon < 0 ? user : user.substring(0, colon));
    var password = colon < 0 ? "" : decoded(user.substring(colon + 1));
    return new Authenticator() {
      @Override
      protected PasswordAuthentication getPasswordAuthentication() {
        return new PasswordAuthentication(name, password);
      }
    };
  }

  private static String decoded(String text) {
    // A plus is no space in this part of a URL.
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost") || host.equals("[::1]") || host.startsWith("127.");
  }

  @Override
  public String name() {
    return "email";
  }

  @Override
  public @Nullable String send(Alert alert) {
    try {
      Transport.send(message(alert));
      return null;
    } catch (MessagingException e) {
      if (e instanceof SendFailedException partly && length(partly.getValidSentAddresses()) > 0) {
        // Those who have it would get it twice.
        LOG.warn(
            "The mail server {} did not accept {} of {} recipients of an alert; check"
                + " alerts.email.to",
            email.smtp().getHost(),
            length(partly.getInvalidAddresses()) + length(partly.getValidUnsentAddresses()),
            email.to().size());
        return null;
      }
      // Not its own words: a server may repeat what it was sent.
      var cause = e.getNextException();
      return "the mail server %s did not accept it (%s)"
          .formatted(
              email.smtp().getHost(), (cause == null ? e : cause).getClass().getSimpleName());
    }
  }

  private static int length(Address @Nullable [] addresses) {
    return addresses == null ? 0 : addresses.length;
  }

  private Message message(Alert alert) throws MessagingException {
    var message = new MimeMessage(session);
    message.setFrom(mailbox(email.from()));
    for (var to : email.to()) {
      message.addRecipient(Message.RecipientType.TO, mailbox(to));
    }
    message.setSubject("Mainstay: " + alert.kind().replace('_', ' '), "UTF-8");
    message.setSentDate(Date.from(alert.raisedAt()));
    message.setHeader("X-Mainstay-Delivery", alert.id());
    message.setText(AlertText.of(alert) + "\n", "UTF-8");
    return message;
  }

  private static InternetAddress mailbox(MailAddress of) throws MessagingException {
    var mailbox = new InternetAddress(of.address());
    try {
      mailbox.setPersonal(of.name(), StandardCharsets.UTF_8.name());
    } catch (UnsupportedEncodingException e) {
      throw new MessagingException("this Java has no UTF-8", e);
    }
    return mailbox;
  }
}
