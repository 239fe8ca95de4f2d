"""A browser without a window, and what a user does with Prefect's pages."""

import json
import shutil
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from tests.end_to_end.running import PATIENCE

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
_OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
_QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]


@contextmanager
def browser(width=1500, height=1300):
    """A browser that is closed with the block."""
    options = webdriver.ChromeOptions()
    for option in [*_OPTIONS, *_QUIET, f"--window-size={width},{height}"]:
        options.add_argument(option)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    running = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield Pages(running)
    finally:
        running.quit()


class Pages:
    """What is seen in a browser, asked for until it is there.

    Args:
        driver: of the browser.
    """

    def __init__(self, driver):
        self.driver = driver
        self._asked = []

    def open(self, url):
        self.driver.get(url)

    def until(self, look, what):
        """The first answer that is true; an element may still be about to come, or may just have been redrawn."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if answer := look():
                    return answer
            except (WebDriverException, IndexError):
                pass
            if time.monotonic() > end:
                raise TimeoutError(f"never seen: {what}; on the page: {self.text()[:2000]}")
            time.sleep(0.2)

    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def reads(self, *words):
        """Wait until all words are on the page."""
        for word in words:
            self.until(lambda word=word: word in self.text(), word)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def press(self, selector, label):
        """Click the element with a label."""

        def pressed():
            found = next(one for one in self.all(selector) if one.text.strip() == label)
            self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].click()", found)
            return True

        self.until(lambda: any(one.text.strip() == label for one in self.all(selector)), label)
        self.until(pressed, label)

    def field(self, name):
        """A parameter of a run's form."""
        found = [
            one
            for one in self.all("div.schema-form-property")
            for label in one.find_elements(By.CSS_SELECTOR, ".schema-form-property__label")[:1]
            if label.text.split(" ")[0] == name
        ]
        return found[-1]

    def take(self, name, kind):
        """Say that a parameter is not to be left empty."""

        def pressed():
            for button in self.field(name).find_elements(By.TAG_NAME, "button"):
                if button.text.strip() == kind:
                    self.driver.execute_script("arguments[0].click()", button)
            return "Property is type" not in self.field(name).text

        self.until(pressed, f"{name} as {kind}")

    def write(self, name, value):
        """Type a value into a parameter."""

        def written():
            box = self.field(name).find_element(By.CSS_SELECTOR, "fieldset input, fieldset textarea")
            if box.get_attribute("value") != str(value):
                box.clear()
                box.send_keys(str(value))
            return box.get_attribute("value") == str(value)

        self.until(written, f"{name} {value}")

    def choices(self, name):
        """What a drop-down or multi-select offers."""
        options = self.until(lambda: self.field(name).find_elements(By.TAG_NAME, "option"), f"the choices of {name}")
        return [option.get_attribute("value") for option in options]

    def choose(self, name, *values):
        for value in values:
            menu = Select(self.field(name).find_element(By.TAG_NAME, "select"))
            menu.select_by_value(value)

    def add_item(self, name, value):
        """Add a number to a list."""
        add = self.field(name).find_element(By.CSS_SELECTOR, ".p-draggable-list__create-button")
        self.driver.execute_script("arguments[0].click()", add)
        box = self.until(lambda: self.field(name).find_elements(By.CSS_SELECTOR, "fieldset input")[-1], name)
        box.send_keys(str(value))

    def submit(self):
        """Send the form; a click on a page that is being redrawn is lost."""
        form = self.driver.current_url

        def sent():
            if self.driver.current_url == form:
                self.press("button", "Submit")
                time.sleep(1)
            return self.driver.current_url != form

        self.until(sent, "what follows a form that was sent")

    def hosts(self):
        """The hosts that the pages have asked for anything so far."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                params = message["params"]
                self._asked.append(params.get("url") or params["request"]["url"])
        return {urlsplit(url).hostname for url in self._asked if not url.startswith(("data:", "blob:", "chrome:"))}

    def picture(self, path):
        self.driver.save_screenshot(str(path))
