/** The texts of the page. Texts of the service come in the requested language. */
import type { ErrorCode } from '../../../support/errors.ts';
import type { PlanningMode } from './mode.ts';

/** The most characters of a text of the address that is no language tag. */
const MOST_SHOWN = 20;

const EN = {
  language: 'en',
  /** The tag by which numbers are written: that of the language, with its region if it was requested with one. */
  locale: 'en',
  languageName: 'English',
  title: 'Planning',
  skip: 'Skip to the properties',
  languageSwitch: 'Language',
  otherLanguage: (name: string) =>
    `This page is not available in “${name}”, so it is in English. Texts of articles are in “${name}” where the service has them.`,
  // Parameters.
  cannotOpen: 'This page cannot be opened like this',
  problems: {
    tokenMissing: 'is missing. The server that links to this page adds a session token.',
    modesBoth: 'expected one of them to be true, received both.',
    notBoolean: 'expected true or false.',
    articleIncomplete: 'is missing. An article is named by manufacturer, program and base number.',
    ocdreinitAlone: 'is missing: ocdreinit configures a base article.',
    permanentidBeside: 'cannot be used together with permanentid, which names a whole planning.',
    articleMissing: 'expected an article or a permanentid, because the catalogue is disabled.',
    parentnodeUnused: 'opens a folder of the catalogue, which is disabled.',
    cartUrlInvalid: 'expected an address that starts with http:// or https://, without a password.',
    originInvalid: 'expected an origin, such as https://shop.example.',
    repeated: 'is given more than once.',
  },
  noSession: {
    title: 'Please open this from the shop',
    planning:
      'This link leads to a stored planning. Only the shop or dealer that you have it from can open it for you: open the planning there, or send them this identifier.',
    page: 'Only the website of a shop or dealer can open this page for you. Go to that website, and open the planning there.',
    maintainer:
      'For the maintainer of that website: the parameter token is missing in the address. Your server adds a session token to it.',
  },
  // Article.
  articleNumber: 'Article number',
  price: 'Price',
  noPrice: 'Price on request',
  priceParts: 'How the price is made up',
  basePrice: 'Basic price',
  description: 'Description',
  summary: 'Chosen properties',
  properties: 'Properties',
  noProperties: 'This article has nothing to choose.',
  ofPlanning: 'Of the whole planning',
  parts: (count: number) => `Consists of ${count} ${count === 1 ? 'article' : 'articles'}`,
  partsNote: 'They are configured as one planning: each change is made to the whole.',
  configurePart: 'Properties of this article',
  messages: 'Messages about this article',
  required: 'required',
  mustChoose: 'please choose',
  choose: 'Please choose …',
  otherValue: 'Another value',
  otherValueOf: (name: string) => `Another value for ${name}`,
  larger: 'Larger pictures',
  largerOf: (name: string) => `Larger pictures: ${name}`,
  less: (name: string) => `${name}: less`,
  more: (name: string) => `${name}: more`,
  range: {
    between: (from: string, to: string) => `${from} to ${to}`,
    from: (from: string) => `from ${from}`,
    to: (to: string) => `up to ${to}`,
    above: (from: string) => `more than ${from}`,
    below: (to: string) => `less than ${to}`,
    steps: (step: string) => `in steps of ${step}`,
    or: ', or ',
  },
  notANumber: 'Please enter a number.',
  tooExact: (decimals: number) =>
    decimals === 0
      ? 'Please enter a whole number.'
      : `Please enter a number with at most ${decimals} decimal ${decimals === 1 ? 'place' : 'places'}.`,
  notPossible: 'This value is not possible.',
  notPossibleAbove: (most: string) => `This value is not possible. The largest is ${most}.`,
  notPossibleBelow: (least: string) => `This value is not possible. The smallest is ${least}.`,
  notPossibleBetween: (below: string, above: string) =>
    `This value is not possible. The nearest are ${below} and ${above}.`,
  keep: (value: string) => `Keep ${value}`,
  clear: 'Leave it empty',
  saving: 'The change is being sent …',
  opening: 'The article is being loaded …',
  openFailed: (name: string) => `“${name}” could not be loaded.`,
  notOpened: 'The article was not loaded.',
  asStored:
    'This planning is shown as it was stored: texts may be in another language, and prices older. The next change renews them.',
  readOnly:
    'This is a stored planning, to look at. Texts and prices are those of the day on which it was stored. To change or order it, send this identifier to the shop or dealer that you have the link from.',
  changeFailed: 'The change could not be made. What was chosen before is kept.',
  earlier: (name: string) => `You have configured “${name}” here before.`,
  goOn: 'Continue with it',
  undo: (property: string) => (property === '' ? 'Undo' : `Undo the change of “${property}”`),
  redo: (property: string) => (property === '' ? 'Redo' : `Redo the change of “${property}”`),
  retry: 'Try again',
  without: {
    change: (property: string) => `Do without the change of “${property}”`,
    article: 'Do without the other article',
    firstArticle: 'Do without this article',
    link: 'Do without a link',
    earlier: (name: string) => `Do without the earlier “${name}”`,
  },
  cancel: 'Cancel',
  // 3D view.
  view: '3D view of the article. Arrow keys turn it, plus and minus zoom.',
  stage: '3D view',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Fit the view',
  dimensions: 'Dimensions',
  resetParts: 'Move parts back',
  movableParts:
    'Parts that move. Up and down choose one, left and right move it, Enter opens or closes it, Delete puts it back.',
  move: 'Slide',
  turn: 'Turn',
  motionOf: (part: string) => `How “${part}” moves`,
  steps: {
    partsList: 'Loading the parts list …',
    parts: (done: number, total: number) => `Loading parts and images: ${done} of ${total}`,
    convert: 'Building the 3D model …',
    show: 'Showing the 3D model …',
  },
  cancelled: 'The 3D model was not loaded to its end.',
  cancelledLater: 'The 3D view still shows what was chosen before.',
  load: 'Load it',
  noModel: 'There is no 3D model of this article.',
  modelFailed: 'The 3D model could not be made.',
  noView: 'This browser or server cannot show the 3D view. Everything else works.',
  nothingOpen: 'Choose an article from the catalogue.',
  stageEmpty: 'The article that you choose appears here, as a 3D model.',
  notes: (count: number) =>
    count === 1 ? '1 note about the model' : `${count} notes about the model`,
  incompleteModel: 'Parts or images of this model are missing.',
  warnings: {
    BLOCK_MISSING: 'The service does not have a part',
    BLOCK_INVALID: 'A part cannot be read',
    SOLID_INVALID: 'A part cannot be read',
    BLOCK_EMPTY: 'A part has no surface',
    RESPONSE_INVALID: 'A part or an image cannot be read',
    IMAGE_MISSING: 'The service does not have an image of a material',
    IMAGE_REFUSED: 'An image of a material has no usable address',
    IMAGE_UNREADABLE: 'An image of a material cannot be read',
    IMAGE_UNSUPPORTED: 'An image of a material cannot be shown',
    MATERIAL_UNKNOWN: 'A material is not known and shown in a neutral colour',
  },
  otherWarning: 'The model does not show something of the data exactly',
  missingParts: 'A grey box marks the place of each missing part.',
  size: (size: string) => `Width × depth × height: ${size}`,
  // Catalogue.
  catalogue: 'Catalogue',
  top: 'Start',
  startTitle: 'What would you like to furnish?',
  welcome: 'Choose an article, configure it, and see it in 3D at once.',
  modes: 'How would you like to plan?',
  modeOf: {
    catalogue: ['Catalogue', 'Look through the catalogue, open an article, and go back.'],
    hybrid: ['Side by side', 'Catalogue and article, on a wide screen.'],
    configurator: ['One article', 'Choose one article. The catalogue is then hidden.'],
  } satisfies Record<PlanningMode, [name: string, line: string]>,
  anotherArticle: 'Choose another article',
  breadcrumbs: 'Path in the catalogue',
  search: 'Search',
  searchIn: (name: string) => `Search in ${name}`,
  searchInAll: 'Search in all manufacturers',
  searchManufacturer: 'Manufacturer',
  allManufacturers: 'All manufacturers',
  searchHint: 'Number or name',
  searchResults: (count: number, query: string) =>
    `${count} ${count === 1 ? 'article' : 'articles'} for “${query}”`,
  endSearch: 'End the search',
  folderEmpty: 'This folder is empty.',
  nothingFound: 'Nothing was found. Try a part of the number or another word.',
  catalogueLoading: 'The catalogue is being loaded …',
  catalogueFailed: 'The catalogue could not be loaded.',
  showCatalogue: 'Catalogue',
  backToArticle: 'Back to the article',
  showMore: (count: number) => `Show ${count} more`,
  // Actions.
  actions: 'Continue with this configuration',
  cart: 'Add to cart',
  cartSending: 'Sending to the cart …',
  cartSent: 'The article is in the cart.',
  cartRefused: (status: number) => `The cart did not accept the article (status ${status}).`,
  cartUnreachable: 'The cart did not answer. The article is still here: try again.',
  cartLate: 'The cart did not answer in time. Check whether the article is there, then try again.',
  cartCancelled:
    'Cancelled. The cart may have the article all the same: check before you send it again.',
  cartAnswer: 'Answer of the receiver',
  cartIncomplete: 'Still to choose:',
  correctFirst: 'Please correct first:',
  cartIncompleteAny: 'A property still has to be chosen.',
  cartBusy: 'Available when the change is made.',
  link: 'Permanent link',
  linkMaking: 'Storing the configuration …',
  linkMade:
    'The configuration is stored. The link opens it where the server that links to this page adds a session token: the link contains none.',
  linkMadePublic: 'The configuration is stored. Everybody who has this link can look at it.',
  linkFailed: 'The configuration could not be stored.',
  linkAddress: 'Permanent link',
  copy: 'Copy',
  copied: 'Copied',
  copyByHand: 'Select the link and copy it.',
  permanentId: 'Permanent identifier',
  download: 'Download',
  glb: '3D model (GLB)',
  usdz: 'For Apple devices (USDZ)',
  picture: 'Picture (PNG)',
  making: 'Being made …',
  filesLater: 'Available when the 3D view shows this configuration.',
  downloadFailed: 'The file could not be made.',
  ar: 'Prepare the view in your room',
  arOpen: 'View in your room',
  arReady: 'The view in your room is ready.',
  arOtherDevice:
    'Open this page on an iPhone or iPad to see it in your room. The file for Apple devices is among the files.',
  // Token.
  tokenDied: 'Your session has expired.',
  tokenNotAccepted: 'This session is not valid: the service does not accept it.',
  choicesKept: 'What you have chosen is still here.',
  tokenParent: 'The page around this one can renew it. Then try again.',
  tokenAlone: 'Go back to the page that you came from, and open the planning there again.',
  close: 'Close',
  failures: {
    ARTICLE_NOT_FOUND: 'The service has no such article, or does not accept this configuration.',
    PERMANENT_ID_NOT_RESOLVABLE: 'No planning is known under this permanent identifier.',
    ARTICLE_REPORTED: 'The service cannot build this article.',
    PROPERTY_VALUE_REFUSED: 'The service does not accept this value.',
    NODE_NOT_FOUND: 'The catalogue has no such folder.',
    TOKEN_DIED: 'The service does not accept the session.',
    RATE_LIMITED: 'The service is busy. Try again in a moment.',
    HTTP_TIMEOUT: 'The service did not answer in time.',
    HTTP_CONNECTION: 'The service cannot be reached. Check the connection.',
    HTTP_STATUS: 'The service answered with an error.',
    RESPONSE_INVALID: 'The service answered something that this page cannot read.',
    NOTHING_TO_DRAW: 'There is no 3D model of this article.',
    PARTS_LIST_INVALID: 'The parts list of this article cannot be read.',
  } satisfies Partial<Record<ErrorCode, string>>,
  otherFailure: 'Something went wrong.',
  status: (status: number) => `Status ${status}`,
  technical: 'Technical detail:',
};

export type Texts = typeof EN;

const DE: Texts = {
  language: 'de',
  locale: 'de',
  languageName: 'Deutsch',
  title: 'Planung',
  skip: 'Zu den Eigenschaften springen',
  languageSwitch: 'Sprache',
  otherLanguage: (name) =>
    `Diese Seite gibt es nicht auf „${name}“, sondern auf Deutsch. Texte von Artikeln erscheinen auf „${name}“, wo der Dienst sie hat.`,
  cannotOpen: 'So lässt sich diese Seite nicht öffnen',
  problems: {
    tokenMissing: 'fehlt. Der Server, der hierher verlinkt, fügt ein Sitzungstoken hinzu.',
    modesBoth: 'Nur eines davon darf true sein.',
    notBoolean: 'Erwartet wird true oder false.',
    articleIncomplete: 'fehlt. Zu einem Artikel gehören Hersteller, Serie und Grundartikelnummer.',
    ocdreinitAlone: 'fehlt: ocdreinit konfiguriert einen Grundartikel.',
    permanentidBeside: 'geht nicht zusammen mit permanentid, das eine ganze Planung benennt.',
    articleMissing:
      'Ein Artikel oder eine permanentid wird gebraucht, weil der Katalog abgeschaltet ist.',
    parentnodeUnused: 'öffnet einen Ordner des Katalogs, der aber abgeschaltet ist.',
    cartUrlInvalid: 'Erwartet wird eine Adresse mit http:// oder https://, ohne Passwort.',
    originInvalid: 'Erwartet wird ein Ursprung wie https://shop.example.',
    repeated: 'ist mehrfach angegeben.',
  },
  noSession: {
    title: 'Bitte im Shop öffnen',
    planning:
      'Dieser Link führt zu einer gespeicherten Planung. Nur der Shop oder Händler, von dem Sie ihn haben, kann sie für Sie öffnen: Öffnen Sie die Planung dort, oder schicken Sie ihm diese Kennung.',
    page: 'Nur die Website eines Shops oder Händlers kann diese Seite für Sie öffnen. Gehen Sie dorthin, und öffnen Sie die Planung dort.',
    maintainer:
      'Für den Betreiber dieser Website: Der Adresse fehlt der Parameter token. Ihr Server fügt ein Sitzungstoken hinzu.',
  },
  articleNumber: 'Artikelnummer',
  price: 'Preis',
  noPrice: 'Preis auf Anfrage',
  priceParts: 'Zusammensetzung des Preises',
  basePrice: 'Grundpreis',
  description: 'Beschreibung',
  summary: 'Gewählte Eigenschaften',
  properties: 'Eigenschaften',
  noProperties: 'An diesem Artikel gibt es nichts zu wählen.',
  ofPlanning: 'Der ganzen Planung',
  parts: (count) => `Besteht aus ${count} Artikel${count === 1 ? '' : 'n'}`,
  partsNote: 'Sie werden als eine Planung konfiguriert: Jede Änderung gilt für das Ganze.',
  configurePart: 'Eigenschaften dieses Artikels',
  messages: 'Hinweise zu diesem Artikel',
  required: 'Pflichtangabe',
  mustChoose: 'bitte wählen',
  choose: 'Bitte wählen …',
  otherValue: 'Anderer Wert',
  otherValueOf: (name) => `Anderer Wert für ${name}`,
  larger: 'Größere Bilder',
  largerOf: (name) => `Größere Bilder: ${name}`,
  less: (name) => `${name}: weniger`,
  more: (name) => `${name}: mehr`,
  range: {
    between: (from, to) => `${from} bis ${to}`,
    from: (from) => `ab ${from}`,
    to: (to) => `bis ${to}`,
    above: (from) => `mehr als ${from}`,
    below: (to) => `weniger als ${to}`,
    steps: (step) => `in Schritten von ${step}`,
    or: ' oder ',
  },
  notANumber: 'Bitte eine Zahl eingeben.',
  tooExact: (decimals) =>
    decimals === 0
      ? 'Bitte eine ganze Zahl eingeben.'
      : `Bitte eine Zahl mit höchstens ${decimals} ${decimals === 1 ? 'Nachkommastelle' : 'Nachkommastellen'} eingeben.`,
  notPossible: 'Dieser Wert ist nicht möglich.',
  notPossibleAbove: (most) => `Dieser Wert ist nicht möglich. Der größte ist ${most}.`,
  notPossibleBelow: (least) => `Dieser Wert ist nicht möglich. Der kleinste ist ${least}.`,
  notPossibleBetween: (below, above) =>
    `Dieser Wert ist nicht möglich. Die nächsten sind ${below} und ${above}.`,
  keep: (value) => `${value} behalten`,
  clear: 'Leer lassen',
  saving: 'Die Änderung wird gesendet …',
  opening: 'Der Artikel wird geladen …',
  openFailed: (name) => `„${name}“ ließ sich nicht laden.`,
  notOpened: 'Der Artikel wurde nicht geladen.',
  asStored:
    'Diese Planung erscheint so, wie sie gespeichert wurde: Texte können in einer anderen Sprache, Preise älter sein. Die nächste Änderung erneuert sie.',
  readOnly:
    'Dies ist eine gespeicherte Planung zum Ansehen. Texte und Preise sind die des Tages, an dem sie gespeichert wurde. Um sie zu ändern oder zu bestellen, schicken Sie diese Kennung an den Shop oder Händler, von dem Sie den Link haben.',
  changeFailed: 'Die Änderung ließ sich nicht ausführen. Was vorher gewählt war, bleibt.',
  earlier: (name) => `Sie haben „${name}“ hier schon konfiguriert.`,
  goOn: 'Damit weitermachen',
  undo: (property) =>
    property === '' ? 'Rückgängig' : `Änderung von „${property}“ rückgängig machen`,
  redo: (property) => (property === '' ? 'Wiederholen' : `Änderung von „${property}“ wiederholen`),
  retry: 'Erneut versuchen',
  without: {
    change: (property) => `Auf die Änderung von „${property}“ verzichten`,
    article: 'Auf den anderen Artikel verzichten',
    firstArticle: 'Auf diesen Artikel verzichten',
    link: 'Auf einen Link verzichten',
    earlier: (name) => `Auf das frühere „${name}“ verzichten`,
  },
  cancel: 'Abbrechen',
  view: '3D-Ansicht des Artikels. Die Pfeiltasten drehen ihn, Plus und Minus zoomen.',
  stage: '3D-Ansicht',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  fit: 'Einpassen',
  dimensions: 'Maße',
  resetParts: 'Teile zurückbewegen',
  movableParts:
    'Bewegliche Teile. Auf und ab wählt eines, links und rechts bewegt es, Eingabe öffnet oder schließt es, Entfernen stellt es zurück.',
  move: 'Schieben',
  turn: 'Drehen',
  motionOf: (part) => `Wie sich „${part}“ bewegt`,
  steps: {
    partsList: 'Die Stückliste wird geladen …',
    parts: (done, total) => `Teile und Bilder werden geladen: ${done} von ${total}`,
    convert: 'Das 3D-Modell wird gebaut …',
    show: 'Das 3D-Modell wird angezeigt …',
  },
  cancelled: 'Das 3D-Modell wurde nicht zu Ende geladen.',
  cancelledLater: 'Die 3D-Ansicht zeigt noch, was vorher gewählt war.',
  load: 'Laden',
  noModel: 'Zu diesem Artikel gibt es kein 3D-Modell.',
  modelFailed: 'Das 3D-Modell ließ sich nicht bauen.',
  noView: 'Dieser Browser oder Server kann die 3D-Ansicht nicht zeigen. Alles andere funktioniert.',
  nothingOpen: 'Wählen Sie einen Artikel aus dem Katalog.',
  stageEmpty: 'Hier erscheint der Artikel, den Sie wählen, als 3D-Modell.',
  notes: (count) => (count === 1 ? '1 Hinweis zum Modell' : `${count} Hinweise zum Modell`),
  incompleteModel: 'An diesem Modell fehlen Teile oder Bilder.',
  warnings: {
    BLOCK_MISSING: 'Der Dienst hat ein Teil nicht',
    BLOCK_INVALID: 'Ein Teil ist nicht lesbar',
    SOLID_INVALID: 'Ein Teil ist nicht lesbar',
    BLOCK_EMPTY: 'Ein Teil hat keine Fläche',
    RESPONSE_INVALID: 'Ein Teil oder Bild ist nicht lesbar',
    IMAGE_MISSING: 'Der Dienst hat ein Bild eines Materials nicht',
    IMAGE_REFUSED: 'Ein Bild eines Materials hat keine brauchbare Adresse',
    IMAGE_UNREADABLE: 'Ein Bild eines Materials ist nicht lesbar',
    IMAGE_UNSUPPORTED: 'Ein Bild eines Materials lässt sich nicht zeigen',
    MATERIAL_UNKNOWN: 'Ein Material ist nicht bekannt und erscheint in einer neutralen Farbe',
  },
  otherWarning: 'Das Modell zeigt etwas von den Daten nicht genau',
  missingParts: 'Ein grauer Kasten steht, wo ein Teil fehlt.',
  size: (size) => `Breite × Tiefe × Höhe: ${size}`,
  catalogue: 'Katalog',
  top: 'Start',
  startTitle: 'Was möchten Sie einrichten?',
  welcome: 'Wählen Sie einen Artikel, konfigurieren Sie ihn, und sehen Sie ihn sofort in 3D.',
  modes: 'Wie möchten Sie planen?',
  modeOf: {
    catalogue: ['Katalog', 'Im Katalog suchen, einen Artikel öffnen und zurückgehen.'],
    hybrid: ['Nebeneinander', 'Katalog und Artikel, wo der Platz reicht.'],
    configurator: ['Nur ein Artikel', 'Einen Artikel wählen. Der Katalog ist dann ausgeblendet.'],
  },
  anotherArticle: 'Anderen Artikel wählen',
  breadcrumbs: 'Pfad im Katalog',
  search: 'Suchen',
  searchIn: (name) => `Suchen bei ${name}`,
  searchInAll: 'Suchen bei allen Herstellern',
  searchManufacturer: 'Hersteller',
  allManufacturers: 'Alle Hersteller',
  searchHint: 'Nummer oder Name',
  searchResults: (count, query) => `${count} Artikel zu „${query}“`,
  endSearch: 'Suche beenden',
  folderEmpty: 'Dieser Ordner ist leer.',
  nothingFound: 'Nichts gefunden. Versuchen Sie einen Teil der Nummer oder ein anderes Wort.',
  catalogueLoading: 'Der Katalog wird geladen …',
  catalogueFailed: 'Der Katalog ließ sich nicht laden.',
  showCatalogue: 'Katalog',
  backToArticle: 'Zurück zum Artikel',
  showMore: (count) => `${count} weitere zeigen`,
  actions: 'Mit dieser Konfiguration weiter',
  cart: 'In den Warenkorb',
  cartSending: 'Wird an den Warenkorb gesendet …',
  cartSent: 'Der Artikel ist im Warenkorb.',
  cartRefused: (status) => `Der Warenkorb hat den Artikel nicht angenommen (Status ${status}).`,
  cartUnreachable: 'Der Warenkorb antwortet nicht. Der Artikel ist noch hier: erneut versuchen.',
  cartLate:
    'Der Warenkorb hat nicht rechtzeitig geantwortet. Sehen Sie dort nach, bevor Sie es erneut versuchen.',
  cartCancelled:
    'Abgebrochen. Der Warenkorb kann den Artikel trotzdem haben: Sehen Sie nach, bevor Sie ihn erneut senden.',
  cartAnswer: 'Antwort des Empfängers',
  cartIncomplete: 'Noch zu wählen:',
  correctFirst: 'Bitte zuerst berichtigen:',
  cartIncompleteAny: 'Eine Eigenschaft muss noch gewählt werden.',
  cartBusy: 'Verfügbar, sobald die Änderung ausgeführt ist.',
  link: 'Dauerhafter Link',
  linkMaking: 'Die Konfiguration wird gespeichert …',
  linkMade:
    'Die Konfiguration ist gespeichert. Der Link öffnet sie, wenn der Server, der hierher verlinkt, ein Sitzungstoken hinzufügt: Er enthält keines.',
  linkMadePublic:
    'Die Konfiguration ist gespeichert. Jeder, der diesen Link hat, kann sie ansehen.',
  linkFailed: 'Die Konfiguration ließ sich nicht speichern.',
  linkAddress: 'Dauerhafter Link',
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyByHand: 'Markieren Sie den Link und kopieren Sie ihn.',
  permanentId: 'Dauerhafte Kennung',
  download: 'Herunterladen',
  glb: '3D-Modell (GLB)',
  usdz: 'Für Apple-Geräte (USDZ)',
  picture: 'Bild (PNG)',
  making: 'Wird erstellt …',
  filesLater: 'Verfügbar, sobald die 3D-Ansicht diese Konfiguration zeigt.',
  downloadFailed: 'Die Datei ließ sich nicht erstellen.',
  ar: 'Ansicht im eigenen Raum vorbereiten',
  arOpen: 'Im eigenen Raum ansehen',
  arReady: 'Die Ansicht im eigenen Raum ist bereit.',
  arOtherDevice:
    'Öffnen Sie diese Seite auf einem iPhone oder iPad, um das Möbel in Ihrem Raum zu sehen. Die Datei für Apple-Geräte ist bei den Dateien.',
  tokenDied: 'Ihre Sitzung ist abgelaufen.',
  tokenNotAccepted: 'Diese Sitzung ist nicht gültig: Der Dienst nimmt sie nicht an.',
  choicesKept: 'Was Sie gewählt haben, ist noch hier.',
  tokenParent: 'Die umgebende Seite kann sie erneuern. Versuchen Sie es danach erneut.',
  tokenAlone:
    'Gehen Sie zurück zu der Seite, von der Sie gekommen sind, und öffnen Sie die Planung dort noch einmal.',
  close: 'Schließen',
  failures: {
    ARTICLE_NOT_FOUND:
      'Der Dienst hat diesen Artikel nicht oder nimmt diese Konfiguration nicht an.',
    PERMANENT_ID_NOT_RESOLVABLE: 'Unter dieser dauerhaften Kennung ist keine Planung bekannt.',
    ARTICLE_REPORTED: 'Der Dienst kann diesen Artikel nicht bilden.',
    PROPERTY_VALUE_REFUSED: 'Der Dienst nimmt diesen Wert nicht an.',
    NODE_NOT_FOUND: 'Der Katalog hat diesen Ordner nicht.',
    TOKEN_DIED: 'Der Dienst nimmt die Sitzung nicht an.',
    RATE_LIMITED: 'Der Dienst ist ausgelastet. Versuchen Sie es gleich noch einmal.',
    HTTP_TIMEOUT: 'Der Dienst hat nicht rechtzeitig geantwortet.',
    HTTP_CONNECTION: 'Der Dienst ist nicht erreichbar. Prüfen Sie die Verbindung.',
    HTTP_STATUS: 'Der Dienst hat mit einem Fehler geantwortet.',
    RESPONSE_INVALID: 'Der Dienst hat etwas geantwortet, das diese Seite nicht lesen kann.',
    NOTHING_TO_DRAW: 'Zu diesem Artikel gibt es kein 3D-Modell.',
    PARTS_LIST_INVALID: 'Die Stückliste dieses Artikels ist nicht lesbar.',
  },
  otherFailure: 'Etwas ist schiefgegangen.',
  status: (status) => `Status ${status}`,
  technical: 'Technische Angabe:',
};

const LANGUAGES: ReadonlyMap<string, Texts> = new Map(
  [EN, DE].map((texts) => [texts.language, texts]),
);

/**
 * The texts in the first of several languages that has texts, otherwise in English; numbers are written as in its region.
 *
 * @param tags - Language tags of BCP 47, and any other text, since addresses contain any: it has no texts.
 * @example `textsOf('fr', 'de-CH'); // → { language: 'de', locale: 'de-CH', … }`
 */
export function textsOf(...tags: readonly string[]): Texts {
  const locales = tags.map(localeOf).filter((locale) => locale !== undefined);
  const locale = locales.find(({ language }) => LANGUAGES.has(language));
  const texts = LANGUAGES.get(locale?.language ?? '') ?? EN;
  return { ...texts, locale: locale?.baseName ?? texts.language };
}

/** Every language that the page has, with its name in itself. */
export const PAGE_LANGUAGES = Array.from(LANGUAGES.values(), ({ language, languageName }) => ({
  language,
  languageName,
}));

/**
 * The name of a requested language that the page does not have, otherwise undefined.
 *
 * @example `missingLanguage(textsOf('fr'), 'fr'); // → 'French'`
 */
export function missingLanguage({ language }: Texts, requested: string): string | undefined {
  if (requested === '') return undefined;
  const locale = localeOf(requested);
  if (locale === undefined) return requested.slice(0, MOST_SHOWN);
  if (LANGUAGES.has(locale.language)) return undefined;
  return new Intl.DisplayNames(language, { type: 'language' }).of(locale.baseName);
}

/** Reads a tag; undefined for a text that is none. Its `baseName` is without extensions, such as other digits. */
function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag.replaceAll('_', '-'));
  } catch {
    return undefined;
  }
}

/** Explains a failure in a sentence. */
export function failureText(texts: Texts, code: string): string {
  const sentences: Readonly<Record<string, string>> = texts.failures;
  return sentences[code] ?? texts.otherFailure;
}

/**
 * Explains a warning of the converter, with its subject.
 *
 * @example
 * ```ts
 * warningText(textsOf('de'), { code: 'BLOCK_MISSING', message: 'block A::B: expected …' });
 * // → 'Der Dienst hat ein Teil nicht: A::B'
 * ```
 */
export function warningText(
  texts: Texts,
  { code, message }: { code: string; message: string },
): string {
  const sentences: Readonly<Record<string, string>> = texts.warnings;
  const [, subject = /"[^"]+"/.exec(message)?.[0]] =
    /^(?:block|image|material) (.+?)(?=: | has no |$)/.exec(message) ?? [];
  const sentence = sentences[code] ?? texts.otherWarning;
  return subject === undefined ? `${sentence}.` : `${sentence}: ${subject}`;
}
